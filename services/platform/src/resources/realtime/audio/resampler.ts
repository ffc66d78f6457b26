// Another number of samples a second, for sound that arrives in pieces: a windowed sinc for each phase, so that what
// the new rate cannot hold is taken out and nothing of the rest.

/** Zero crossings of the sinc on each side: the steeper, the longer. */
const lobes = 16
/** Of the lower half rate; what lies above goes. */
const passband = 0.94
/** Of the Kaiser window: about 80 dB. */
const beta = 8

export class Resampler {
  readonly #up: number
  readonly #down: number
  readonly #half: number
  readonly #phases: Float32Array[]
  /** Samples that later outputs still need; the first is that at `#start`. */
  #held: Float32Array
  /** Place of the next output, in steps of 1/up of an input sample, from the first held one that is its centre. */
  #at = 0

  constructor(from: number, to: number) {
    const divisor = greatestCommonDivisor(from, to)
    this.#up = to / divisor
    this.#down = from / divisor
    const widening = Math.max(1, from / to)
    this.#half = Math.ceil(lobes * widening)
    this.#phases = phasesOf(this.#up, this.#half, widening)
    this.#held = new Float32Array(this.#half - 1)
  }

  /** All outputs whose surroundings are known by now. */
  push(samples: Int16Array): Int16Array {
    const input = new Float32Array(this.#held.length + samples.length)
    input.set(this.#held)
    for (let at = 0; at < samples.length; at++) input[this.#held.length + at] = samples[at] as number
    const taps = this.#half * 2
    const possible = Math.max(0, Math.ceil(((input.length - taps + 1) * this.#up - this.#at) / this.#down))
    const output = new Int16Array(possible)
    for (let index = 0; index < possible; index++) {
      const first = Math.floor(this.#at / this.#up)
      const phase = this.#phases[this.#at % this.#up] as Float32Array
      let sum = 0
      for (let tap = 0; tap < taps; tap++) sum += (input[first + tap] as number) * (phase[tap] as number)
      output[index] = sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : Math.round(sum)
      this.#at += this.#down
    }
    const done = Math.min(input.length, Math.floor(this.#at / this.#up))
    this.#held = input.slice(done)
    this.#at -= done * this.#up
    return output
  }

  /** The rest, once nothing more comes. */
  end(): Int16Array {
    return this.push(new Int16Array(this.#half))
  }
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

function phasesOf(up: number, half: number, widening: number): Float32Array[] {
  return Array.from({ length: up }, (_, phase) => {
    const taps = Float32Array.from({ length: half * 2 }, (_, tap) => {
      const distance = tap - (half - 1) - phase / up
      return sinc((distance * passband) / widening) * kaiser(distance / half)
    })
    const sum = taps.reduce((total, tap) => total + tap, 0)
    return taps.map((tap) => tap / sum)
  })
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const kaiser = (x: number): number => (Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta))

/** The modified Bessel function of order 0. */
function bessel(x: number): number {
  let term = 1
  let sum = 1
  for (let order = 1; term > sum * 1e-10; order++) {
    term *= (x / (2 * order)) ** 2
    sum += term
  }
  return sum
}

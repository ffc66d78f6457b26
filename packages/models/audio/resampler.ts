// Changes how many samples a second has, piece by piece: a windowed sinc, in as many phases as the ratio needs. Runs in
// browsers too, where it makes of what a microphone hears what the realtime API takes: it imports nothing.
const zeroCrossings = 12
const maxPhases = 512

export class Resampler {
  readonly #step: number
  readonly #phases: number
  readonly #taps: number
  readonly #kernel: Float32Array
  #kept: Float32Array
  /** Where the next output sample lies in `#kept`, in input samples. */
  #at: number

  constructor(from: number, to: number) {
    this.#step = from / to
    const cutoff = Math.min(1, to / from)
    this.#taps = 2 * Math.ceil(zeroCrossings / cutoff)
    this.#phases = maxPhases
    this.#kernel = kernelOf(this.#taps, this.#phases, cutoff)
    // Silence before the first sample, so that the filter can begin.
    this.#kept = new Float32Array(this.#taps / 2)
    this.#at = this.#taps / 2
  }

  push(samples: Float32Array): Float32Array {
    const input = new Float32Array(this.#kept.length + samples.length)
    input.set(this.#kept)
    input.set(samples, this.#kept.length)
    const half = this.#taps / 2
    const count = Math.max(0, Math.ceil((input.length - half - this.#at) / this.#step))
    const output = new Float32Array(count)
    for (let index = 0; index < count; index++) output[index] = this.#sampleAt(input, this.#at + index * this.#step)
    this.#at += count * this.#step
    const drop = Math.min(input.length, Math.max(0, Math.floor(this.#at) - half))
    this.#kept = input.slice(drop)
    this.#at -= drop
    return output
  }

  /** What is still inside. */
  end(): Float32Array {
    return this.push(new Float32Array(this.#taps / 2))
  }

  #sampleAt(input: Float32Array, position: number): number {
    let whole = Math.floor(position)
    let phase = Math.round((position - whole) * this.#phases)
    if (phase === this.#phases) {
      whole++
      phase = 0
    }
    const first = whole - this.#taps / 2 + 1
    const row = phase * this.#taps
    let sum = 0
    for (let tap = 0; tap < this.#taps; tap++) {
      sum += (input[first + tap] ?? 0) * (this.#kernel[row + tap] as number)
    }
    return sum
  }
}

/** One row for each phase: Hann-windowed, and its sum is 1. */
function kernelOf(taps: number, phases: number, cutoff: number): Float32Array {
  const kernel = new Float32Array(taps * phases)
  for (let phase = 0; phase < phases; phase++) {
    const row = kernel.subarray(phase * taps, (phase + 1) * taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - taps / 2 + 1 - phase / phases
      const window = Math.cos((Math.PI * distance) / taps) ** 2
      row[tap] = sinc(distance * cutoff) * window
      sum += row[tap] as number
    }
    for (let tap = 0; tap < taps; tap++) row[tap] = (row[tap] as number) / sum
  }
  return kernel
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

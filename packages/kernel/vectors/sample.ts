// Some vectors of a collection, spread evenly over it: how near its chunks are to a question on the whole.
import { exactSearch, MetricKind } from 'usearch'
import { maxVectors } from './stride.ts'

export interface Spread {
  mean: number
  deviation: number
  count: number
}

export class Sample {
  readonly #dimensions: number
  #stride: number
  #numbers: number[] = []
  /** Begins its own memory: the engine's exact search reads from there. */
  #vectors = new Float32Array()

  /** With a stride above 1, what is offered first must hold every number up to there that it divides. */
  constructor(dimensions: number, stride = 1) {
    this.#dimensions = dimensions
    this.#stride = stride
  }

  get bytes(): number {
    return this.#vectors.byteLength
  }

  /** In the order of the numbers; what was offered before is passed by. */
  offer(number: number, vector: Float32Array): void {
    if (number % this.#stride !== 0 || number <= (this.#numbers.at(-1) ?? 0)) return
    this.#reserve(this.#numbers.length + 1)
    this.#vectors.set(vector, this.#numbers.length * this.#dimensions)
    this.#numbers.push(number)
    if (this.#numbers.length === maxVectors) this.#thin()
  }

  /** Of the cosines with the question. */
  spread(query: Float32Array): Spread {
    const count = this.#numbers.length
    if (count === 0) return { mean: 0, deviation: 0, count }
    const used = this.#vectors.subarray(0, count * this.#dimensions)
    const { distances } = exactSearch(used, query, this.#dimensions, count, MetricKind.IP, 1)
    let [sum, squares] = [0, 0]
    for (const distance of distances) {
      sum += 1 - distance
      squares += (1 - distance) ** 2
    }
    const mean = sum / count
    return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)), count }
  }

  #reserve(rows: number): void {
    if (rows * this.#dimensions <= this.#vectors.length) return
    const grown = new Float32Array(Math.min(maxVectors, Math.max(8, rows * 2)) * this.#dimensions)
    grown.set(this.#vectors)
    this.#vectors = grown
  }

  /** Every other one goes. */
  #thin(): void {
    this.#stride *= 2
    const kept = [...this.#numbers.keys()].filter((at) => (this.#numbers[at] as number) % this.#stride === 0)
    for (const [to, from] of kept.entries()) {
      const row = this.#vectors.subarray(from * this.#dimensions, (from + 1) * this.#dimensions)
      this.#vectors.set(row, to * this.#dimensions)
    }
    this.#numbers = kept.map((at) => this.#numbers[at] as number)
  }
}

// Vectors compared one by one: the small collections, and what an index has yet to take in.
import { exactSearch, MetricKind } from 'usearch'

export interface Near {
  number: number
  distance: number
}

/** There may be thousands of collections with a few chunks each. */
const firstRows = 8
const maxBlockRows = 4096

/** A matrix that begins its own memory: the engine's exact search reads from there. */
export class Block {
  readonly #dimensions: number
  #vectors: Float32Array
  #numbers: Float64Array
  count = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
    this.#vectors = new Float32Array(firstRows * dimensions)
    this.#numbers = new Float64Array(firstRows)
  }

  get isFull(): boolean {
    return this.count === maxBlockRows
  }

  get last(): number {
    return this.#numbers[this.count - 1] ?? 0
  }

  get bytes(): number {
    return this.#vectors.byteLength + this.#numbers.byteLength
  }

  /** Takes what fits, and tells how many that were. */
  add(numbers: Float64Array, vectors: Float32Array): number {
    const taken = Math.min(numbers.length, maxBlockRows - this.count)
    this.#reserve(this.count + taken)
    this.#numbers.set(numbers.subarray(0, taken), this.count)
    this.#vectors.set(vectors.subarray(0, taken * this.#dimensions), this.count * this.#dimensions)
    this.count += taken
    return taken
  }

  nearest(query: Float32Array, count: number): Near[] {
    const wanted = Math.min(count, this.count)
    if (wanted === 0) return []
    const used = this.#vectors.subarray(0, this.count * this.#dimensions)
    const { keys, distances } = exactSearch(used, query, this.#dimensions, wanted, MetricKind.IP, 1)
    return Array.from(distances, (distance, at) => ({ number: this.#numbers[Number(keys[at])] ?? 0, distance }))
  }

  slice(start: number, end: number): { numbers: Float64Array; vectors: Float32Array } {
    const vectors = this.#vectors.subarray(start * this.#dimensions, end * this.#dimensions)
    return { numbers: this.#numbers.subarray(start, end), vectors }
  }

  #reserve(rows: number): void {
    if (rows <= this.#numbers.length) return
    const capacity = Math.min(maxBlockRows, Math.max(rows, this.#numbers.length * 2))
    const [numbers, vectors] = [this.#numbers, this.#vectors]
    this.#numbers = new Float64Array(capacity)
    this.#numbers.set(numbers)
    this.#vectors = new Float32Array(capacity * this.#dimensions)
    this.#vectors.set(vectors)
  }
}

// The vectors of one collection in the index thread: an index, and blocks of those that are not in it.
import { rm } from 'node:fs/promises'
import type { Index } from 'usearch'
import { Block, type Near } from './block.ts'
import { type AboutIndex, type LoadedIndex, loadIndex, newIndex, saveIndex } from './index-file.ts'
import type { IndexSettings, Nearest, ShelfState } from './index-protocol.ts'
import { sumOf } from './numbers.ts'

/** A search may have to wait for one such step: some milliseconds. */
const vectorsPerStep = 8
/** The graph around a vector, roughly. */
const graphBytes = 200

export interface ShelfPlace {
  key: string
  dimensions: number
  file: string
}

export class Shelf {
  readonly #place: ShelfPlace
  readonly #indexFrom: number
  #index: Index | undefined
  #about: AboutIndex
  #blocks: Block[] = []
  /** How many of the first block are in the index already. */
  #absorbed = 0
  #waiting = 0
  #last: number
  #lastLoadedSum: number | undefined
  #unsaved = 0

  /** Its file is being written, or is about to be. */
  isBeingSaved = false

  /** With the index of its file, if that is good. */
  static async open(place: ShelfPlace, settings: IndexSettings): Promise<Shelf> {
    return new Shelf(place, settings, await loadIndex(place.file, place))
  }

  private constructor(place: ShelfPlace, settings: IndexSettings, loaded: LoadedIndex | undefined) {
    this.#place = place
    this.#indexFrom = settings.indexFrom
    this.#index = loaded?.index
    const { key, dimensions } = place
    this.#about = loaded?.about ?? { key, dimensions, last: 0, lastVectorSum: 0, count: 0 }
    this.#last = this.#about.last
    this.#lastLoadedSum = loaded?.about.lastVectorSum
  }

  get state(): ShelfState {
    return {
      last: this.#last,
      count: this.#about.count + this.#waiting,
      indexed: this.#about.count,
      bytes: this.waitingBytes + this.#about.count * (this.#place.dimensions * 2 + graphBytes),
      lastVectorSum: this.#lastLoadedSum,
    }
  }

  get waitingBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0)
  }

  /** Whether there is something to take into the index. */
  get canAbsorb(): boolean {
    return this.#waiting > 0 && (this.#index !== undefined || this.#waiting >= this.#indexFrom)
  }

  /** Whether a restart would have to do much again: then the file is worth writing. */
  get isWorthSaving(): boolean {
    const inOneGo = this.canAbsorb ? this.#about.count / 4 : this.#about.count / 20
    return this.#unsaved >= Math.max(this.#indexFrom / 5, inOneGo)
  }

  extend(numbers: Float64Array, vectors: Float32Array): void {
    let added = 0
    while (added < numbers.length) {
      let block = this.#blocks.at(-1)
      if (!block || block.isFull) {
        block = new Block(this.#place.dimensions)
        this.#blocks.push(block)
      }
      added += block.add(numbers.subarray(added), vectors.subarray(added * this.#place.dimensions))
    }
    this.#waiting += numbers.length
    this.#last = numbers.at(-1) ?? this.#last
  }

  search(vector: Float32Array, count: number): Nearest {
    const found = this.#blocks.flatMap((block) => block.nearest(vector, count))
    if (this.#index) found.push(...nearestIn(this.#index, vector, count))
    found.sort((a, b) => a.distance - b.distance)
    // Vectors of the first block may be in the index as well.
    const numbers = new Set(found.map(({ number }) => number))
    return {
      numbers: Float64Array.from(numbers).slice(0, count),
      all: count >= this.state.count,
      bytes: this.state.bytes,
    }
  }

  /** Takes a few vectors into the index. */
  absorbSome(): void {
    const [block] = this.#blocks
    if (!block) return
    this.#index ??= newIndex(this.#place.dimensions)
    const end = Math.min(block.count, this.#absorbed + vectorsPerStep)
    const { numbers, vectors } = block.slice(this.#absorbed, end)
    this.#index.add(BigUint64Array.from(numbers, BigInt), vectors, 1)
    const lastVector = vectors.subarray(vectors.length - this.#place.dimensions)
    this.#about.count += numbers.length
    this.#about.last = numbers.at(-1) ?? this.#about.last
    this.#about.lastVectorSum = sumOf(lastVector)
    this.#unsaved += numbers.length
    this.#waiting -= numbers.length
    this.#absorbed = end
    if (end < block.count) return
    this.#blocks.shift()
    this.#absorbed = 0
  }

  async save(): Promise<void> {
    const unsaved = this.#unsaved
    // Before the attempt: one that failed is not made again with every step.
    this.#unsaved = 0
    if (this.#index && unsaved > 0) await saveIndex(this.#index, this.#place.file, this.#about)
  }

  removeFile(): Promise<void> {
    return rm(this.#place.file, { force: true })
  }
}

function nearestIn(index: Index, vector: Float32Array, count: number): Near[] {
  const { keys, distances } = index.search(vector, count, 1)
  return Array.from(distances, (distance, at) => ({ number: Number(keys[at]), distance }))
}

// One collection in the index thread: its words, an index of its vectors, and blocks of those that are not in it.
import { rm } from 'node:fs/promises'
import type { Index } from 'usearch'
import { bagOf } from './bag.ts'
import { Block, type Near } from './block.ts'
import type { Proposed } from './database-index.ts'
import { type AboutIndex, type LoadedIndex, loadIndex, newIndex, saveIndex } from './index-file.ts'
import type { Found, IndexRequest, IndexSettings, ShelfState, WordedChunks } from './index-protocol.ts'
import { sumOf } from './numbers.ts'
import { Sample } from './sample.ts'
import { appendWords, type LoadedWords, loadWords } from './word-file.ts'
import { WordShelf } from './word-shelf.ts'

/** A search may have to wait for one such step: a millisecond or so. */
const vectorsPerStep = 2
/** The graph around a vector, roughly. */
const graphBytes = 200
/** When this many proposals hold not enough that still exist, fewer are given. */
const maxProposals = 8_192

type Search = Extract<IndexRequest, { kind: 'search' }>

export interface ShelfPlace {
  key: string
  dimensions: number
  file: string
  wordFile: string
  /** Another index has the vectors: here are those that it lacks. */
  isElsewhere: boolean
}

const nothing = { last: 0, lastVectorSum: 0, count: 0 }

export class Shelf {
  readonly #place: ShelfPlace
  #isElsewhere: boolean
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
  readonly #words: WordShelf
  #savedWords: { blocks: number; bytes: number }
  #lastLoadedBagSum: number | undefined
  #sample: Sample

  /** Its file is being written, or is about to be. */
  isBeingSaved = false

  /** With what its files hold, as far as they are good. */
  static async open(place: ShelfPlace, settings: IndexSettings): Promise<Shelf> {
    const loaded = place.isElsewhere ? undefined : await loadIndex(place.file, place)
    return new Shelf(place, settings, loaded, await loadWords(place.wordFile, place.key))
  }

  private constructor(
    place: ShelfPlace,
    settings: IndexSettings,
    loaded: LoadedIndex | undefined,
    { blocks, bytes }: LoadedWords,
  ) {
    this.#place = place
    this.#isElsewhere = place.isElsewhere
    this.#indexFrom = settings.indexFrom
    this.#index = loaded?.index
    const { key, dimensions } = place
    this.#about = loaded?.about ?? { key, dimensions, ...nothing }
    this.#last = this.#about.last
    this.#lastLoadedSum = loaded?.about.lastVectorSum
    this.#sample = new Sample(dimensions)
    this.#words = new WordShelf(blocks)
    this.#savedWords = { blocks: blocks.length, bytes }
    this.#lastLoadedBagSum = blocks.at(-1)?.data.lastBagSum
  }

  get state(): ShelfState {
    return {
      last: this.#last,
      count: this.#about.count + this.#waiting,
      indexed: this.#about.count,
      bytes: this.#bytes,
      lastVectorSum: this.#lastLoadedSum,
      words: { last: this.#words.last, count: this.#words.count, lastBagSum: this.#lastLoadedBagSum },
    }
  }

  get #bytes(): number {
    const indexBytes = this.#about.count * (this.#place.dimensions * 2 + graphBytes)
    return this.waitingBytes + indexBytes + this.#words.bytes + this.#sample.bytes
  }

  get waitingBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0)
  }

  /** Whether there is something to be done while nobody asks. */
  get hasWork(): boolean {
    return this.canAbsorb || this.#words.canJoin
  }

  /** A millisecond or two of it. */
  workSome(): void {
    if (this.#words.canJoin) this.#words.joinSome()
    else this.absorbSome()
  }

  /** Whether there is something to take into the index. */
  get canAbsorb(): boolean {
    if (this.#isElsewhere || this.#waiting === 0) return false
    return this.#index !== undefined || this.#waiting >= this.#indexFrom
  }

  /** Whether a restart would have to do much again: then the file is worth writing. */
  get isWorthSaving(): boolean {
    if (this.#isElsewhere) return this.#words.full.length > this.#savedWords.blocks
    const inOneGo = this.canAbsorb ? this.#about.count / 4 : this.#about.count / 20
    return this.#unsaved >= Math.max(this.#indexFrom / 5, inOneGo)
  }

  extend(numbers: Float64Array, vectors: Float32Array): void {
    this.#offer(numbers, vectors)
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

  addWords({ numbers, owners, bags }: WordedChunks): void {
    for (const [at, bag] of bags.entries()) {
      const bytes = bag instanceof Uint8Array ? bag : bagOf(bag.text, bag.heading)
      this.#words.add(numbers[at] as number, owners[at] as number, bytes)
    }
  }

  keepOnly(owners: Float64Array): void {
    this.#words.keepOnly(new Set(owners))
  }

  beginSample({ stride, numbers, vectors }: Extract<IndexRequest, { kind: 'sample' }>): void {
    this.#sample = new Sample(this.#place.dimensions, stride)
    this.#offer(numbers, vectors)
  }

  /** Another index answers up to there. Whole blocks go: some of what remains may be proposed as well. */
  trim(upTo: number): void {
    if (this.#isElsewhere) {
      this.#blocks = this.#blocks.filter(({ last }) => last > upTo)
    } else {
      // The index goes as a whole, also what it holds beyond: that is told again.
      this.#isElsewhere = true
      this.#index = undefined
      this.#blocks = []
      this.#absorbed = 0
      this.#last = 0
      this.#unsaved = 0
      this.#about = { ...this.#about, ...nothing }
    }
    this.#waiting = this.#blocks.reduce((sum, { count }) => sum + count, 0)
  }

  async removeIndexFile(): Promise<void> {
    await rm(this.#place.file, { force: true })
  }

  search({ vector, count, words, proposed }: Search): Found {
    const near = vector ? this.#nearest(vector, count, words.among, proposed) : { list: [], all: true }
    const numbers = Float64Array.from(near.list, ({ number }) => number)
    return {
      near: numbers,
      cosines: Float64Array.from(near.list, ({ distance }) => 1 - distance),
      all: near.all,
      spread: vector ? this.#sample.spread(vector) : { mean: 0, deviation: 0, count: 0 },
      words: this.#words.search(words, count, numbers),
      bytes: this.#bytes,
    }
  }

  /** Those that were not removed, as far as it is known. Asks for more while too many are. */
  #nearest(
    vector: Float32Array,
    count: number,
    among: Float64Array | undefined,
    proposed: Proposed | undefined,
  ): { list: Near[]; all: boolean } {
    const owners = among && new Set(among)
    const isAsked = ({ number }: Near): boolean => {
      const owner = this.#words.ownerOf(number)
      return owner !== undefined && owners?.has(owner) !== false
    }
    for (let asked = count; ; asked *= 4) {
      const list = this.#proposals(vector, asked, proposed).filter(isAsked)
      const isEverything = asked >= this.state.count
      // Whether the other index has more to propose only it can tell.
      const all = isEverything && (proposed === undefined || count >= this.#words.last)
      if (list.length >= count || isEverything || asked >= maxProposals) return { list: list.slice(0, count), all }
    }
  }

  #proposals(vector: Float32Array, count: number, proposed: Proposed | undefined): Near[] {
    const found = this.#blocks.flatMap((block) => block.nearest(vector, count))
    if (proposed) found.push(...nearestOf(proposed))
    if (this.#index) found.push(...nearestIn(this.#index, vector, count))
    found.sort((a, b) => a.distance - b.distance || a.number - b.number)
    // Vectors of the first block may be in the index as well.
    const numbers = new Set<number>()
    return found.filter(({ number }) => !numbers.has(number) && numbers.add(number)).slice(0, count)
  }

  #offer(numbers: Float64Array, vectors: Float32Array): void {
    const { dimensions } = this.#place
    for (const [at, number] of numbers.entries()) {
      this.#sample.offer(number, vectors.subarray(at * dimensions, (at + 1) * dimensions))
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
    if (unsaved > 0 || this.#isElsewhere) await this.#saveWords()
  }

  async #saveWords(): Promise<void> {
    const blocks = this.#words.full.slice(this.#savedWords.blocks)
    if (blocks.length === 0) return
    const { wordFile, key } = this.#place
    const bytes = await appendWords(wordFile, key, this.#savedWords.bytes, blocks)
    this.#savedWords = { blocks: this.#savedWords.blocks + blocks.length, bytes }
  }

  async removeFile(): Promise<void> {
    await Promise.all([this.#place.file, this.#place.wordFile].map((file) => rm(file, { force: true })))
  }
}

const nearestOf = ({ numbers, cosines }: Proposed): Near[] =>
  Array.from(numbers, (number, at) => ({ number, distance: 1 - (cosines[at] ?? 0) }))

function nearestIn(index: Index, vector: Float32Array, count: number): Near[] {
  const { keys, distances } = index.search(vector, count, 1)
  return Array.from(distances, (distance, at) => ({ number: Number(keys[at]), distance }))
}

// The words of one collection in the index thread: blocks that are sorted once, and the newest chunks in small ones.
import { readBag } from './bag.ts'
import { scoreWords } from './bm25.ts'
import type { AskedWords, FoundWords } from './index-protocol.ts'
import { sumOf } from './numbers.ts'
import { locate, maxBlockChunks, type PlacedBag, WordBlock } from './word-block.ts'

/** Sorted in a millisecond or two: a search while the collection grows waits no longer. */
const maxSmallChunks = 64

export class WordShelf {
  /** Full ones, then small ones: first those that are being joined to a full one, if there are such. */
  #full: WordBlock[] = []
  #joined: WordBlock[] = []
  #joining: Generator<undefined, WordBlock> | undefined
  #small: WordBlock[] = []
  #newest: WordBlock | undefined
  /** All of them, until something is added. */
  #list: WordBlock[] | undefined
  /** All that is not in a full block yet. */
  #tail: PlacedBag[] = []
  /** Owners whose chunks were removed. */
  readonly #gone = new Set<number>()
  #last = 0

  constructor(full: WordBlock[] = []) {
    this.#full = full
    this.#last = full.at(-1)?.data.numbers.at(-1) ?? 0
  }

  /** The greatest chunk number it holds. */
  get last(): number {
    return this.#last
  }

  /** Chunks that were not removed. */
  get count(): number {
    return this.#blocks().reduce((sum, block) => sum + block.count, 0)
  }

  get bytes(): number {
    return this.#blocks().reduce((sum, block) => sum + block.bytes, 0) * (this.#tail.length > 0 ? 1.2 : 1)
  }

  get full(): readonly WordBlock[] {
    return this.#full
  }

  add(number: number, owner: number, bag: Uint8Array): void {
    this.#tail.push({ number, owner, sum: sumOf(bag), ...readBag(bag) })
    this.#last = number
    this.#newest = undefined
    this.#list = undefined
    if (this.#tail.length % maxSmallChunks === 0) this.#small.push(this.#sorted(this.#tail.slice(-maxSmallChunks)))
    if (this.#tail.length === maxBlockChunks) this.#beginJoining()
  }

  /** Whether small blocks are to be joined to a full one. */
  get canJoin(): boolean {
    return this.#joining !== undefined
  }

  /** One step of it: to join them all at once would keep a search waiting for long. */
  joinSome(): void {
    const next = this.#joining?.next()
    if (!next?.done) return
    if (this.#gone.size > 0) next.value.remove(this.#gone)
    this.#full.push(next.value)
    this.#joined = []
    this.#joining = undefined
    this.#list = undefined
  }

  #beginJoining(): void {
    // Where nobody has had time for the last ones.
    while (this.canJoin) this.joinSome()
    this.#joining = WordBlock.steps(this.#tail)
    this.#joined = this.#small
    this.#tail = []
    this.#small = []
  }

  /** Chunks of all other owners were removed. */
  keepOnly(owners: ReadonlySet<number>): void {
    const gone = new Set<number>()
    for (const block of this.#blocks()) {
      for (const owner of block.data.owners) if (!owners.has(owner) && !this.#gone.has(owner)) gone.add(owner)
    }
    for (const owner of gone) this.#gone.add(owner)
    for (const block of this.#blocks()) block.remove(gone)
  }

  search(asked: AskedWords, count: number, wanted: Float64Array): FoundWords {
    return scoreWords(this.#blocks(), asked, count, wanted)
  }

  /** Whose the chunk is; undefined when it is not here or was removed. */
  ownerOf(number: number): number | undefined {
    const found = locate(this.#blocks(), number)
    if (found === undefined || found.block.gone?.[found.chunk] === 1) return undefined
    return found.block.data.owners[found.chunk]
  }

  #blocks(): WordBlock[] {
    if (this.#list !== undefined) return this.#list
    const rest = this.#tail.length % maxSmallChunks
    if (rest > 0) this.#newest ??= this.#sorted(this.#tail.slice(-rest))
    this.#list = [...this.#full, ...this.#joined, ...this.#small, ...(rest > 0 && this.#newest ? [this.#newest] : [])]
    return this.#list
  }

  #sorted(bags: readonly PlacedBag[]): WordBlock {
    const block = WordBlock.of(bags)
    if (this.#gone.size > 0) block.remove(this.#gone)
    return block
  }
}

// The chunks that hold the words of a question. Only words that few chunks hold are looked up: they tell the most, and
// they are quick.
import type { Queries } from '../db/database.ts'
import type { CollectionRow } from './rows.ts'
import type { WordRows } from './word-rows.ts'
import { tellingWords } from './words.ts'

/** A word in more chunks than this says little about any of them. */
const maxChunksOfWord = 300
const maxLookups = 12
/** Beyond this a text is no question; its first words must do. */
const maxWords = 64
const maxRemembered = 2_000

/** Words found common, by the key of the collection; so that they are looked up once and not with every question. */
interface Common {
  words: Set<string>
  /** The collection's chunks when the first was found; with much fewer, other words are rare. */
  chunks: number
}

export class Keywords {
  readonly #rows: WordRows
  readonly #common = new Map<string, Common>()

  constructor(rows: WordRows) {
    this.#rows = rows
  }

  /**
   * Chunk ids, and how much of what the question's words could tell each of them holds: from 0 to 1. A rare word tells
   * more than a common one.
   */
  async agreement(queries: Queries, collection: CollectionRow, question: string): Promise<Map<number, number>> {
    const words = tellingWords(question).slice(0, maxWords)
    const common = this.#commonIn(collection)
    const asked = words
      .filter((word) => !common.words.has(word))
      .sort((a, b) => promise(b) - promise(a))
      .slice(0, maxLookups)
    const agreement = new Map<number, number>()
    if (asked.length === 0) return agreement
    const found = await this.#rows.find(queries, collection.id, asked, maxChunksOfWord + 1)
    let told = (words.length - asked.length) * commonWeight(collection.chunks)
    for (const [place, ids] of found.entries()) {
      const isCommon = ids.length > maxChunksOfWord
      if (isCommon) remember(common, asked[place] ?? '')
      const weight = isCommon ? commonWeight(collection.chunks) : weightOf(collection.chunks, ids.length)
      told += weight
      if (!isCommon) for (const id of ids) agreement.set(id, (agreement.get(id) ?? 0) + weight)
    }
    for (const [id, weight] of agreement) agreement.set(id, weight / told)
    return agreement
  }

  forget(key: string): void {
    this.#common.delete(key)
  }

  #commonIn({ key, chunks }: CollectionRow): Common {
    const known = this.#common.get(key)
    if (known && chunks > known.chunks / 2) return known
    const fresh = { words: new Set<string>(), chunks }
    this.#common.set(key, fresh)
    if (this.#common.size > maxRemembered) {
      for (const oldest of this.#common.keys()) {
        this.#common.delete(oldest)
        break
      }
    }
    return fresh
  }
}

function remember(common: Common, word: string): void {
  if (common.words.size >= maxRemembered) common.words.clear()
  common.words.add(word)
}

/** Which words to look up first: numbers and long words are rarely common. */
const promise = (word: string): number => word.length + (/\d/.test(word) ? 8 : 0)

/** So many chunks without the word are thought of besides: a handful of chunks does not tell which words are common. */
const imaginedChunks = 1_000

/** As in BM25. */
const weightOf = (chunks: number, having: number): number =>
  Math.log(1 + (imaginedChunks + Math.max(chunks, having) - having + 0.5) / (having + 0.5))

/** Of a word whose chunks were not counted to the end. */
const commonWeight = (chunks: number): number => weightOf(chunks, Math.max(chunks / 10, maxChunksOfWord))

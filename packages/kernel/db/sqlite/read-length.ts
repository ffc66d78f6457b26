// Which reads may take long. A statement that looks a few rows up by whole keys is short whatever the tables hold; one
// that goes from row to row takes as long as there are rows, unless the whole database is small.
import type { Reader, Row } from './reader.ts'
import { walksRows } from './walked-rows.ts'

/** In a statement that only looks up keys it names. So many are read in the time of a trip to another thread. */
const fewValues = 64
/** Pages of 4 KiB: all of so small a database is read in a few milliseconds, faster than a thread starts. */
const smallPages = 2_048
/** Meanwhile no database grows so much that it matters. */
const askAgainMs = 20
const maxKnown = 1_024

export class ReadLength {
  readonly #reader: Reader
  #walks = new Map<string, boolean>()
  #isSmall = true
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** `values`: how many the statement is given. */
  mayBeLong(sql: string, values: number): boolean {
    // In this order: of statements on a small database nobody has to know what they do.
    return !this.#databaseIsSmall() && (values > fewValues || this.#walksRows(sql))
  }

  #walksRows(sql: string): boolean {
    const known = this.#walks.get(sql)
    if (known !== undefined) return known
    if (this.#walks.size >= maxKnown) this.#walks = new Map()
    const walks = walksRows(this.#program(sql))
    this.#walks.set(sql, walks)
    return walks
  }

  /** None when SQLite cannot say: then the statement is wrong, and says so itself when it is run. */
  #program(sql: string): Row[] {
    try {
      return this.#reader.explain('explain', sql)
    } catch {
      return []
    }
  }

  #databaseIsSmall(): boolean {
    const now = performance.now()
    if (!this.#isSmall || now - this.#askedAt < askAgainMs) return this.#isSmall
    this.#askedAt = now
    const pages = this.#reader.all('pragma page_count', [])[0]?.page_count
    this.#isSmall = Number(pages) < smallPages
    return this.#isSmall
  }
}

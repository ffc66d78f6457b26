// What one COMMIT of the writer thread makes durable: single writes and ended turns, answered in one message.
import type { DatabaseSync } from 'node:sqlite'
import { failureOf } from './prepared.ts'
import type { Failure, Reply, Result, Value } from './protocol.ts'
import { bytesOf } from './value-bytes.ts'

const maxTurns = 64
const maxSingles = 4096
const maxBytes = 16 * 1024 * 1024
export const maxGroupMs = 5
/** Where a commit costs less than this, two groups in flight are better than one big one. */
const cheapCommitMs = 0.5

export class Group {
  readonly #db: DatabaseSync
  readonly #reply: (reply: Reply) => void
  #singles: Result[] = []
  #turns = 0
  /** Of the values written, and of the rows that wait to be told. */
  #bytes = 0
  #startedAt = 0
  /** A running mean: how long this disk takes. */
  #commitMs = 0

  constructor(db: DatabaseSync, reply: (reply: Reply) => void) {
    this.#db = db
    this.#reply = reply
  }

  get isEmpty(): boolean {
    return this.#turns === 0 && this.#singles.length === 0
  }

  get isFull(): boolean {
    if (this.isEmpty) return false
    if (this.#turns >= maxTurns || this.#singles.length >= maxSingles || this.#bytes >= maxBytes) return true
    return performance.now() - this.#startedAt >= maxGroupMs
  }

  /** Whether it pays to hold the commit back for what is about to come. */
  get gainsByWaiting(): boolean {
    return this.#turns > 0 || this.#commitMs > cheapCommitMs
  }

  addValues(values: readonly Value[]): void {
    this.#bytes += bytesOf(values)
  }

  addSingle(result: Result): void {
    this.#singles.push(result)
    if (typeof result === 'object' && 'values' in result) this.addValues(result.values)
  }

  addTurn(): void {
    this.#startedAt ||= performance.now()
    this.#turns += 1
  }

  begin(): Failure | undefined {
    this.#startedAt ||= performance.now()
    return this.#db.isTransaction ? undefined : this.attempt('BEGIN IMMEDIATE')
  }

  attempt(sql: string): Failure | undefined {
    try {
      this.#db.exec(sql)
      return undefined
    } catch (error) {
      return failureOf(error)
    }
  }

  commit(): void {
    const startedAt = performance.now()
    const failure = this.#db.isTransaction ? this.attempt('COMMIT') : undefined
    this.#commitMs = 0.8 * this.#commitMs + 0.2 * (performance.now() - startedAt)
    if (failure) this.fail(failure)
    else this.#answer({ kind: 'group', results: this.#singles, turns: this.#turns })
  }

  /** Nothing of the group is kept, and all who wait for it are told. The writer goes on. */
  fail(cause: Failure): void {
    if (this.#db.isTransaction) this.attempt('ROLLBACK')
    const failure = { ...cause, message: `nothing was written: ${cause.message}` }
    this.#answer({ kind: 'group', results: this.#singles, turns: this.#turns, failure })
  }

  #answer(reply: Reply): void {
    this.#reply(reply)
    this.#singles = []
    this.#turns = 0
    this.#bytes = 0
    this.#startedAt = 0
  }
}

// A transaction's exclusive turn on the writer thread, seen from the calling thread.
import type { QueryResult } from 'kysely'
import type { Value } from './protocol.ts'

const maxIdleMs = 5_000

export interface TurnHost {
  /** Sends one call of the turn; the first one also opens the turn on the writer thread. */
  send(sql: string, values: readonly Value[], begin: boolean): Promise<QueryResult<never>>
  /** Ends the turn and lets the next one begin. Resolves when the group it belongs to is durable. */
  end(turn: Turn, commit: boolean): Promise<void>
}

export class Turn {
  readonly #host: TurnHost
  readonly #idle: NodeJS.Timeout
  readonly #abandoned = Promise.withResolvers<never>()
  #running = 0
  #begun = false
  #ended = false
  #failure: Error | undefined

  constructor(host: TurnHost) {
    this.#host = host
    this.#abandoned.promise.catch(() => {})
    this.#idle = setTimeout(() => this.#giveUp(), maxIdleMs)
    this.#idle.unref()
  }

  /** Whether the writer thread has seen it: from then on nothing else may run in between. */
  get begun(): boolean {
    return this.#begun
  }

  /** Rejects when the turn was taken away from its caller. */
  get abandoned(): Promise<never> {
    return this.#abandoned.promise
  }

  async execute(sql: string, values: readonly Value[]): Promise<QueryResult<never>> {
    this.#refuseWhenOver()
    const begin = !this.#begun
    this.#begun = true
    this.#running += 1
    try {
      return await this.#host.send(sql, values, begin)
    } catch (error) {
      this.#failure ??= error as Error
      throw error
    } finally {
      this.#running -= 1
      this.#idle.refresh()
    }
  }

  async commit(): Promise<void> {
    this.#refuseWhenOver()
    await this.#end(true)
  }

  /** Waits for the group's commit as well: what made the caller give up may be someone else's row of the same group. */
  async rollback(): Promise<void> {
    if (!this.#ended) await this.#end(false).catch(() => {})
  }

  /** The writer is gone: nothing can be sent any more. */
  fail(error: Error): void {
    this.#ended = true
    this.#failure ??= error
    clearTimeout(this.#idle)
    this.#abandoned.reject(error)
  }

  /** After a failed statement the whole turn is lost, as on PostgreSQL: stores behave alike on both. */
  #refuseWhenOver(): void {
    if (this.#failure) {
      throw new Error(`the transaction has failed before: ${this.#failure.message}`, { cause: this.#failure })
    }
    if (this.#ended) throw new Error('the transaction is over')
  }

  #end(commit: boolean): Promise<void> {
    this.#ended = true
    clearTimeout(this.#idle)
    return this.#host.end(this, commit)
  }

  #giveUp(): void {
    if (this.#running > 0) {
      this.#idle.refresh()
      return
    }
    const error = new Error(
      `the transaction was rolled back: it made no database call for ${maxIdleMs / 1000} seconds. ` +
        'Inside a transaction, await only calls on the transaction itself',
    )
    this.#failure = error
    this.#abandoned.reject(error)
    this.#end(false).catch(() => {})
  }
}

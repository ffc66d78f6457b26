// A connection that stays open while it is used, goes when nobody needs it, and comes again when somebody does.

import { NotSent } from '../channel.ts'

interface Ways<Connection> {
  /** `lost` is to be called when it has gone by itself. */
  open(lost: () => void): Promise<Connection>
  close(connection: Connection): Promise<unknown> | unknown
}

const idleMs = 60_000

export class KeptConnection<Connection> {
  readonly #ways: Ways<Connection>
  #open: Promise<Connection> | undefined
  #users = 0
  #idle: NodeJS.Timeout | undefined

  constructor(ways: Ways<Connection>) {
    this.#ways = ways
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle)
    this.#users += 1
    this.#open ??= this.#connect()
    const opening = this.#open
    try {
      return await work(await opening)
    } catch (error) {
      // A connection that is not as it should be shall not hurt the next one. A refusal is no fault of it.
      if (this.#open === opening && !(error instanceof NotSent && error.forGood)) await this.close()
      throw error
    } finally {
      this.#users -= 1
      if (this.#users === 0) this.#idle = setTimeout(() => void this.close(), idleMs).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const closing = this.#open
    this.#open = undefined
    try {
      if (closing !== undefined) await this.#ways.close(await closing)
    } catch {
      // It never opened, or is gone already.
    }
  }

  #connect(): Promise<Connection> {
    const opening: Promise<Connection> = this.#ways.open(() => {
      if (this.#open === opening) this.#open = undefined
    })
    return opening
  }
}

// One connection that does nothing but LISTEN, and comes back by itself when it is lost.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { connect } from '../db/postgres/connection.ts'
import type { Log } from '../telemetry/log.ts'

const firstRetryMs = 100
const longestRetryMs = 5000
/** A peer that vanished without a word is noticed by asking. */
const checkEveryMs = 15_000
const answerWithinMs = 10_000
const goodbyeWithinMs = 1000

interface Hearing {
  received(text: string): void
  /** Connected again after a loss; what was sent meanwhile is gone. */
  restored(): void
}

export class ListenConnection {
  readonly #url: string
  readonly #channel: string
  readonly #log: Log
  readonly #hearing: Hearing
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(url: string, channel: string, log: Log, hearing: Hearing) {
    this.#url = url
    this.#channel = channel
    this.#log = log
    this.#hearing = hearing
  }

  async open(): Promise<void> {
    const client = await connect(this.#url)
    client.on('notification', ({ payload }) => this.#hearing.received(payload ?? ''))
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('The connection ended.')))
    try {
      await answer(client, `listen ${client.escapeIdentifier(this.#channel)}`)
    } catch (error) {
      await drop(client)
      throw error
    }
    this.#client = client
    if (this.#closed) await this.close()
    else this.#timer = setInterval(() => void this.#check(client), checkEveryMs)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    if (client !== undefined) await drop(client)
  }

  async #check(client: pg.Client): Promise<void> {
    try {
      await answer(client, 'select 1')
    } catch (error) {
      this.#lose(client, error)
    }
  }

  #lose(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = undefined
    clearInterval(this.#timer)
    this.#log.warn({ err: error }, 'Lost the connection for events; connecting again.')
    void drop(client)
    this.#reopenAfter(firstRetryMs)
  }

  #reopenAfter(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#reopen(delayMs), delayMs)
  }

  async #reopen(delayMs: number): Promise<void> {
    try {
      await this.open()
    } catch (error) {
      this.#log.warn({ err: error, retryInMs: delayMs }, 'No connection for events yet.')
      if (!this.#closed) this.#reopenAfter(Math.min(delayMs * 2, longestRetryMs))
      return
    }
    if (this.#closed) return
    this.#log.info({}, 'Events are connected again.')
    this.#hearing.restored()
  }
}

async function answer(client: pg.Client, statement: string): Promise<void> {
  const silence = delay(answerWithinMs, undefined, { ref: false }).then(() => {
    throw new Error(`The database did not answer within ${answerWithinMs} ms.`)
  })
  await Promise.race([client.query(statement), silence])
}

/** Ends a connection that may be broken already; a peer that is gone never answers the goodbye. */
async function drop(client: pg.Client): Promise<void> {
  client.removeAllListeners('notification')
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, delay(goodbyeWithinMs, undefined, { ref: false })])
}

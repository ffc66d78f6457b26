// One thing that a build does, as clients draw it: announced, begun, done, with output and figures in between.
import { createHash, randomBytes } from 'node:crypto'
import { type Timestamp, timestamp } from '../protocol/control.ts'
import type { StatusFeed } from './status-feed.ts'

const streams = { stdout: 1n, stderr: 2n } as const

export class Vertex {
  readonly digest: string
  readonly #feed: StatusFeed
  readonly #name: string
  readonly #inputs: readonly string[]
  readonly #now: () => number
  #started: Timestamp | undefined
  #isCached = false
  #isOver = false
  readonly #figures = new Map<string, Timestamp>()

  constructor(feed: StatusFeed, name: string, inputs: readonly string[], now: () => number) {
    this.digest = `sha256:${createHash('sha256').update(randomBytes(16)).update(name).digest('hex')}`
    this.#feed = feed
    this.#name = name
    this.#inputs = inputs
    this.#now = now
  }

  get isOpen(): boolean {
    return this.#started !== undefined && !this.#isOver
  }

  announce(): Promise<void> {
    return this.#tell({})
  }

  start(): Promise<void> {
    this.#started ??= timestamp(this.#now())
    return this.#tell({ started: this.#started })
  }

  /** It need not be done: the result is known. */
  markCached(): void {
    this.#isCached = true
  }

  async complete(error = ''): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#started ??= timestamp(this.#now())
    await this.#tell({ started: this.#started, completed: timestamp(this.#now()), cached: this.#isCached, error })
  }

  log(stream: 'stdout' | 'stderr', text: string): Promise<void> {
    const log = { vertex: this.digest, timestamp: timestamp(this.#now()), stream: streams[stream] }
    return this.#feed.tell({ logs: [{ ...log, message: Buffer.from(text) }] })
  }

  /** How far something in it has come; done when `isDone`. */
  figure(id: string, { current = 0, total = 0, isDone = false }): Promise<void> {
    const moment = timestamp(this.#now())
    const started = this.#figures.get(id) ?? moment
    this.#figures.set(id, started)
    const counts = { current: BigInt(current), total: BigInt(total) }
    const status = { id, vertex: this.digest, name: id, ...counts, timestamp: moment, started }
    return this.#feed.tell({ statuses: [{ ...status, ...(isDone && { completed: moment }) }] })
  }

  warn(text: string): Promise<void> {
    return this.#feed.tell({ warnings: [{ vertex: this.digest, level: 1n, short: Buffer.from(text) }] })
  }

  #tell(more: { started?: Timestamp; completed?: Timestamp; cached?: boolean; error?: string }): Promise<void> {
    const vertex = { digest: this.digest, name: this.#name, inputs: [...this.#inputs], ...more }
    return this.#feed.tell({ vertexes: [vertex] })
  }
}

// Writes down what every call used: into the journal at once, from there into the database a few times a second.
import { hostname } from 'node:os'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { UsageEvent } from './event.ts'
import { UsageJournal } from './journal.ts'
import { foreignSegments, readSegment, type Segment } from './segment-files.ts'
import { insertEvents } from './store.ts'

const writeEveryMs = 200
const maxRetryMs = 30_000
const linesPerStatement = 1_000
/** While the database is away, files beyond these are on disk only. */
const maxSegmentsInMemory = 10

interface Parts {
  db: Database
  ids: Ids
  log: Log
  folder: string
}

export class UsageRecorder {
  readonly #db: Database
  readonly #log: Log
  readonly #journal: UsageJournal
  /** Complete files whose events are not in the database yet, oldest first. */
  readonly #waiting: Segment[]
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #failures = 0

  constructor({ db, ids, log, folder }: Parts) {
    this.#db = db
    this.#log = log
    const instance = { host: hostname(), pid: process.pid, mark: ids.secret(12) }
    this.#journal = new UsageJournal(folder, instance, () => this.#cut())
    this.#waiting = foreignSegments(folder, instance)
    if (this.#waiting.length > 0) this.#writeSoon(0)
  }

  /** Outlives this process once it returns. */
  record(event: UsageEvent): void {
    const error = this.#journal.append(JSON.stringify(event))
    if (error !== undefined) this.#log.error({ error }, 'Usage could not be written to the data folder')
    this.#writeSoon(writeEveryMs)
  }

  /** Resolves once all that was recorded before is in the database, or could not be written for now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
  }

  #writeSoon(ms: number): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), ms)
    this.#timer.unref()
  }

  #cut(): void {
    const segment = this.#journal.cut()
    if (segment === undefined) return
    this.#waiting.push(segment)
    if (this.#waiting.length > maxSegmentsInMemory) this.#forget(segment)
  }

  #forget(segment: Segment): void {
    if (segment.unwritten) {
      this.#log.error({ events: segment.lines?.length }, 'Usage is lost: neither disk nor database takes it')
      segment.unwritten = false
    }
    segment.lines = undefined
  }

  async #write(): Promise<void> {
    this.#cut()
    try {
      for (let segment = this.#waiting[0]; segment !== undefined; segment = this.#waiting[0]) {
        await this.#insert(segment)
        this.#waiting.shift()
        const error = this.#journal.remove(segment)
        if (error !== undefined) this.#log.warn({ error }, 'A file of the usage journal could not be removed')
      }
      this.#failures = 0
    } catch (error) {
      this.#failures++
      const retryMs = Math.min(maxRetryMs, writeEveryMs * 2 ** this.#failures)
      const fields = { error, files: this.#waiting.length, retry_ms: retryMs }
      this.#log.warn(fields, 'Usage could not be written to the database; it is kept in the data folder')
      this.#writeSoon(retryMs)
    }
  }

  async #insert(segment: Segment): Promise<void> {
    const lines = segment.lines ?? this.#read(segment.path)
    for (let from = 0; from < lines.length; from += linesPerStatement) {
      await insertEvents(this.#db, lines.slice(from, from + linesPerStatement))
    }
  }

  #read(path: string): string[] {
    const { lines, damaged } = readSegment(path)
    if (damaged > 0) this.#log.warn({ path, damaged }, 'Lines of the usage journal were cut short by a crash')
    return lines
  }
}

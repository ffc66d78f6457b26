// Logs of containers: what they said, and what they are saying.
import type { Readable } from 'node:stream'
import { invalidParameter, notImplemented } from '../../../errors.ts'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { LogPosition } from '../../../runtime/runtime.ts'
import { PulledStream } from '../../../streams/pulled-stream.ts'
import type { ContainerRecord, ContainerStatus } from '../record.ts'
import { logAttributes } from './log-attributes.ts'
import { type LogKeeper, readKept } from './log-keeper.ts'
import { LogWatches } from './log-watch.ts'
import type { LogsQuery } from './logs-query.ts'
import { type LogReading, readLog } from './read-log.ts'

export interface LogsParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  /** The newest file of the container's log; undefined when its driver keeps none. */
  logPath(container: ContainerRecord): string | undefined
  /** A driver that may give back what it was sent. */
  keeper?(container: ContainerRecord): LogKeeper | undefined
  events: EngineEvents
  now(): number
  /** Settles when a restart that was asked for and is under way has succeeded or failed. */
  restarting?(containerId: string): Promise<void> | undefined
}

export interface OpenedLog {
  tty: boolean
  output: Readable
}

const liveStates: ReadonlySet<ContainerStatus> = new Set(['running', 'paused', 'restarting'])

export class Logs {
  readonly #parts: LogsParts
  readonly #watches = new LogWatches()

  constructor(parts: LogsParts) {
    this.#parts = parts
    // Its end writes nothing to the log, but is what followers wait for.
    parts.events.listen(({ Type, Actor }) => {
      if (Type === 'container' && this.#watches.size > 0) this.#wake(Actor.ID)
    })
  }

  open(idOrName: string, query: LogsQuery): OpenedLog {
    const container = this.#parts.find(idOrName)
    if (!query.stdout && !query.stderr) {
      throw invalidParameter('Bad parameters: you must choose at least one stream')
    }
    return { tty: container.config.Tty === true, output: this.read(container, query) }
  }

  /** `unframed`: without frames also where there is no terminal. `end`: nothing after that place. */
  read(
    container: ContainerRecord,
    query: LogsQuery,
    { unframed = false, end }: { unframed?: boolean; end?: () => LogPosition | undefined } = {},
  ): Readable {
    const path = this.#parts.logPath(container)
    if (path === undefined) throw notImplemented('configured logging driver does not support reading')
    const { stdout, stderr, since, until, tail, timestamps, details } = query
    const reading = {
      path,
      range: { stdout, stderr, since, until },
      format: {
        framed: container.config.Tty !== true && !unframed,
        timestamps,
        details: details ? logAttributes(container) : undefined,
      },
      tail,
      ...(end === undefined ? {} : { end }),
    }
    const isLive = () => this.#isLive(container.id)
    const keeper = end === undefined ? this.#parts.keeper?.(container) : undefined
    const from = (follow: LogReading['follow']) => (signal: AbortSignal) =>
      this.#readFrom(keeper, { ...reading, follow }, signal)
    if (!query.follow || !isLive()) return new PulledStream(from(undefined))
    const watch = this.#watches.use(path)
    const untilMs = until === undefined ? undefined : Date.parse(until)
    const { now } = this.#parts
    const stream = new PulledStream(from({ watch, isLive, untilMs, now }))
    stream.once('close', () => this.#watches.release(path, watch))
    return stream
  }

  /** The driver's own lines where it gives them, and the file's otherwise. */
  async *#readFrom(
    keeper: LogKeeper | undefined,
    reading: LogReading,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const isKept = keeper !== undefined && (await keeper.canRead().catch(() => false))
    if (!isKept) return yield* readLog(reading, signal)
    const { range, format, tail, follow } = reading
    const { since, until } = range
    yield* readKept(keeper, { range, format, since, until, tail, follow: follow !== undefined }, signal)
  }

  /** How many logs are being followed. */
  get followed(): number {
    return this.#watches.size
  }

  #isLive(id: string): boolean {
    const container = this.#found(id)
    return container !== undefined && (liveStates.has(container.state.status) || this.#comesBack(id))
  }

  /** Between the two runs of a restart nothing is over yet; when it is, those who follow look again. */
  #comesBack(id: string): boolean {
    const restart = this.#parts.restarting?.(id)
    restart?.finally(() => this.#wake(id)).catch(() => undefined)
    return restart !== undefined
  }

  #found(id: string): ContainerRecord | undefined {
    try {
      return this.#parts.find(id)
    } catch {
      return undefined
    }
  }

  #wake(id: string): void {
    const container = this.#found(id)
    const path = container === undefined ? undefined : this.#parts.logPath(container)
    if (path === undefined) this.#watches.wakeAll()
    else this.#watches.wake(path)
  }
}

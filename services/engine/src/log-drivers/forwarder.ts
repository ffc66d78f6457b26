// Delivers the log of one container: follows its file, sends what is new, and notes how far it came. Nothing waits for
// it, and it holds a piece of the log at most; what cannot be delivered yet stays in the file.
import { createHash } from 'node:crypto'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { LogWatches } from '../resources/containers/logs/log-watch.ts'
import { LineParts } from './line-parts.ts'
import type { Forwarding, LogLine } from './log-driver.ts'
import { LogTail } from './log-tail.ts'
import { Pause } from './pause.ts'
import { type Position, readPosition, writePosition } from './position.ts'

interface ForwarderParts extends Forwarding {
  id: string
  /** The container's own. */
  folder: string
  logPath: string
  watches: LogWatches
  log: Log
  /** It may still say something. */
  isLive(): boolean
}

const retryGrowth = 1.5
const maxRetryWaitMs = 60_000

export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #stop = new AbortController()
  readonly #pause = new Pause()
  #run: Promise<void> | undefined
  #isAsked = false
  #isLeaving = false

  constructor(parts: ForwarderParts) {
    this.#parts = parts
  }

  /** Rejects when nobody listens, unless the container does not mind. */
  async connect(): Promise<void> {
    if (!this.#parts.isAsync) await this.#parts.sink.open()
  }

  /** Delivers what is there, and what comes while the container lives. */
  begin(): void {
    if (this.#stop.signal.aborted) return
    this.#isAsked = true
    this.#run ??= this.#deliverAll().finally(() => {
      this.#run = undefined
      if (this.#isAsked) this.begin()
    })
  }

  /** The container goes: what is left is delivered now or never. */
  async finish(): Promise<void> {
    this.#isLeaving = true
    this.begin()
    this.#pause.end()
    await this.#run
  }

  /** At once; a later engine can go on. */
  stop(): void {
    this.#stop.abort()
    this.#pause.end()
    this.#parts.sink.close()
  }

  /** It was connected for a start that failed. */
  letGo(): void {
    if (this.#run === undefined) this.#parts.sink.close()
  }

  async #deliverAll(): Promise<void> {
    while (this.#isAsked && !this.#stop.signal.aborted) {
      this.#isAsked = false
      try {
        await this.#follow()
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#warn(error, 'The log of a container is no longer delivered')
      }
    }
    this.#parts.sink.close()
  }

  async #follow(): Promise<void> {
    const { folder, logPath, watches } = this.#parts
    const from = await readPosition(folder)
    const tail = new LogTail(logPath, from)
    const parts = new LineParts(from?.parts)
    const watch = watches.use(logPath)
    const { signal } = this.#stop
    try {
      while (!signal.aborted) {
        const seen = watch.changes
        const isLast = !this.#parts.isLive()
        for (let read = await tail.next(); read !== undefined && !signal.aborted; read = await tail.next()) {
          if (tail.hasGap) this.#warn(undefined, 'Lines of a log were rotated away before they could be delivered')
          await this.#deliver(parts.read(read), { ...(await tail.place()), parts: parts.open })
        }
        if (isLast) return
        await watch.changedSince(seen, signal, undefined)
      }
    } finally {
      tail.close()
      watches.release(logPath, watch)
    }
  }

  async #deliver(lines: readonly LogLine[], behind: Position): Promise<void> {
    const { id, folder, maxLines } = this.#parts
    for (let from = 0; from < lines.length; from += maxLines) {
      const chunk = createHash('sha1').update(`${id} ${behind.mark} ${behind.offset} ${from}`).digest()
      await this.#send(lines.slice(from, from + maxLines), chunk.subarray(0, 16).toString('base64'))
    }
    await writePosition(folder, behind).catch((error: unknown) =>
      this.#warn(error, 'How far a log was delivered could not be noted'),
    )
  }

  /** Again and again, unless told to give up. */
  async #send(lines: readonly LogLine[], chunk: string): Promise<void> {
    const { sink, retry } = this.#parts
    for (let tries = 0; ; tries++) {
      try {
        return await sink.send(lines, chunk)
      } catch (error) {
        sink.close()
        if (this.#stop.signal.aborted || this.#isLeaving) throw error
        if (tries === 0) this.#warn(error, 'Lines of a log could not be delivered; it is tried again')
        if (tries >= retry.maxRetries) return this.#warn(error, `${lines.length} lines of a log are given up`)
      }
      await this.#pause.for(Math.min(maxRetryWaitMs, retry.waitMs * retryGrowth ** tries))
      this.#stop.signal.throwIfAborted()
    }
  }

  #warn(error: unknown, message: string): void {
    const reason = error instanceof Error ? error.message : undefined
    this.#parts.log.warn({ container: this.#parts.id, ...(reason === undefined ? {} : { reason }) }, message)
  }
}

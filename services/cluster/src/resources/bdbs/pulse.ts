// Notices shards that run and do not answer. Such a one is ended, so that it can never wake up as a second master; what
// follows is what follows on any death. It is left alone while nobody else has its data.
import { RedisError } from '../../redis/reply.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import type { Shard } from './bdb.ts'
import type { LiveDatabase } from './live-database.ts'

interface Parts {
  /** So long a shard may be silent. */
  silenceMs: number
  databases(): Iterable<LiveDatabase>
  /** For the log of the cluster. */
  tell(type: string, object: string, message: string): void
}

/** Looks within the time of silence. Each is a turn of the loop: an answer that is there has been read by the next. */
const looks = 5
/** A shard that computes has so many times more time: a long command is no reason to end it. */
const busyFactor = 12

export class Pulse {
  readonly #parts: Parts
  #beats = new Map<ShardProcess, Beat>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#look(), this.#parts.silenceMs / looks).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const beat of this.#beats.values()) beat.close()
    this.#beats.clear()
  }

  async #look(): Promise<void> {
    const before = this.#beats
    this.#beats = new Map()
    for (const live of this.#parts.databases()) {
      for (const { process } of live.shards) {
        if (process !== undefined) this.#beats.set(process, before.get(process) ?? new Beat(process))
      }
    }
    for (const [process, beat] of before) if (!this.#beats.has(process)) beat.close()
    await Promise.all([...this.#beats.values()].map((beat) => beat.look()))
    if (this.#timer === undefined) return
    for (const live of this.#parts.databases()) {
      for (const shard of live.shards) if (this.#isSilent(shard)) await this.#fence(live, shard)
    }
  }

  #isSilent({ process }: Shard): boolean {
    return process !== undefined && (this.#beats.get(process)?.isSilent(this.#parts.silenceMs) ?? false)
  }

  async #fence(live: LiveDatabase, shard: Shard): Promise<void> {
    const beat = shard.process && this.#beats.get(shard.process)
    if (shard.process === undefined || beat === undefined || beat.isEnding) return
    const object = `shard:${shard.uid}`
    if (this.#isKeptElsewhere(live, shard)) {
      beat.isEnding = true
      await this.#end(shard.process, object)
    } else if (!beat.isTold) {
      beat.isTold = true
      const message = `Shard ${shard.uid} does not answer; it is left alone, since nobody else has its data.`
      this.#parts.tell('shard_hangs', object, message)
    }
  }

  async #end(process: ShardProcess, object: string): Promise<void> {
    const { tell } = this.#parts
    const { uid } = process.spec
    try {
      await process.stop({ kill: true })
      tell('shard_hangs', object, `Shard ${uid} did not answer any more and was ended.`)
    } catch (error) {
      tell('shard_hangs', object, `Shard ${uid} does not answer and cannot be ended: ${(error as Error).message}`)
    }
  }

  /** In the file that has every write, or with another shard that answers. */
  #isKeptElsewhere({ bdb, shards }: LiveDatabase, shard: Shard): boolean {
    const isMaster = shard.role === 'master'
    if (isMaster && bdb.settings.data_persistence === 'aof') return true
    const others = shards.filter(({ role, isSynced }) => (isMaster ? role === 'slave' && isSynced : role === 'master'))
    return others.some(({ process }) => process !== undefined && this.#beats.get(process)?.isHeard === true)
  }
}

/** What is known of one process. */
class Beat {
  readonly #process: ShardProcess
  #connection: Awaited<ReturnType<ShardProcess['connect']>> | undefined
  #isAsked = false
  #isClosed = false
  #heardAt = performance.now()
  /** Since it was heard last. */
  #looks = 0
  #cpuTicks = -1
  #workedAt = 0
  isTold = false
  isEnding = false

  constructor(process: ShardProcess) {
    this.#process = process
  }

  /** It has answered the last question. */
  get isHeard(): boolean {
    return this.#looks <= 1
  }

  isSilent(silenceMs: number): boolean {
    const now = performance.now()
    const silentMs = now - this.#heardAt
    if (this.#looks < looks || silentMs < silenceMs) return false
    return now - this.#workedAt > silenceMs || silentMs > busyFactor * silenceMs
  }

  async look(): Promise<void> {
    if (!this.#isAsked) void this.#ask()
    this.#looks++
    if (this.isHeard) return
    const ticks = await this.#process.cpuTicks()
    if (ticks === undefined)
      this.#heard() // it has ended: that is noticed elsewhere
    else if (ticks !== this.#cpuTicks) {
      if (this.#cpuTicks >= 0) this.#workedAt = performance.now()
      this.#cpuTicks = ticks
    }
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.close()
  }

  async #ask(): Promise<void> {
    this.#isAsked = true
    try {
      this.#connection ??= await this.#process.connect()
      await this.#connection.call('ping')
      this.#heard()
    } catch (error) {
      if (error instanceof RedisError) this.#heard()
      this.#connection?.close()
      this.#connection = undefined
    }
    this.#isAsked = false
    if (this.#isClosed) this.#connection?.close()
  }

  #heard(): void {
    this.#heardAt = performance.now()
    this.#looks = 0
    this.#cpuTicks = -1
    this.isTold = false
  }
}

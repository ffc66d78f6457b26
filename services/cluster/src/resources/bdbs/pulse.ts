// Notices shards that run and do not answer. Such a one is ended, so that it can never wake up as a second master; what
// follows is what follows on any death. It is left alone while nobody else has its data. Notices likewise the process of
// an endpoint that hangs, and a replica that copies everything again: until it has, it can take over from nobody.
import type { ProxyControl } from '../../proxies/proxy-supervisor.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import type { Shard } from './bdb.ts'
import { Beat, looks } from './beat.ts'
import type { LiveDatabase } from './live-database.ts'
import { ShardBeat } from './shard-beat.ts'

interface Parts {
  /** So long a shard may be silent. */
  silenceMs: number
  databases(): Iterable<LiveDatabase>
  /** For the log of the cluster. */
  tell(type: string, object: string, message: string): void
  /** Something of it may have to be put right. */
  look(uid: number): void
}

export class Pulse {
  readonly #parts: Parts
  #beats = new Map<ShardProcess, ShardBeat>()
  #proxies = new Map<ProxyControl, Beat>()
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
    for (const beat of this.#all()) beat.close()
    this.#beats.clear()
    this.#proxies.clear()
  }

  #all(): Beat[] {
    return [...this.#beats.values(), ...this.#proxies.values()]
  }

  async #look(): Promise<void> {
    this.#beats = renewed(
      this.#beats,
      [...this.#parts.databases()].flatMap(({ shards }) => shards.flatMap(({ process }) => process ?? [])),
      (process) => new ShardBeat(process),
    )
    this.#proxies = renewed(
      this.#proxies,
      [...this.#parts.databases()].flatMap(({ endpoint }) => endpoint.running ?? []),
      (proxy) => new Beat({ ask: () => proxy.answers(), cpuTicks: () => proxy.cpuTicks(), close: () => undefined }),
    )
    await Promise.all(this.#all().map((beat) => beat.look()))
    if (this.#timer === undefined) return
    for (const live of this.#parts.databases()) {
      for (const shard of live.shards) if (this.#isSilent(shard)) await this.#fence(live, shard)
      await this.#endHangingProxy(live)
      await this.#watchCopies(live)
    }
  }

  async #endHangingProxy({ bdb, endpoint }: LiveDatabase): Promise<void> {
    const proxy = endpoint.running
    const beat = proxy && this.#proxies.get(proxy)
    if (proxy === undefined || beat?.isSilent(this.#parts.silenceMs) !== true || beat.isEnding) return
    beat.isEnding = true
    await proxy.kill()
    const message = `The endpoint of database ${bdb.uid} did not answer any more and was ended.`
    this.#parts.tell('endpoint_hangs', `bdb:${bdb.uid}`, message)
  }

  async #watchCopies(live: LiveDatabase): Promise<void> {
    if (live.isHeld) return
    const master = live.shards.find(({ role }) => role === 'master')?.process
    const areSynced = live.shards.every(({ role, isSynced }) => role === 'master' || isSynced)
    if (master !== undefined && areSynced && this.#beats.get(master)?.wasCopied(live.copies) === true) {
      this.#tellCopies(live.bdb.uid, 'A replica has copied everything from its master again.')
    }
    for (const shard of live.shards) {
      const beat = shard.process && this.#beats.get(shard.process)
      if (beat === undefined || shard.role !== 'slave') continue
      if (beat.isCopying && shard.isSynced) {
        await live.losesSync(shard)
        this.#tellCopies(live.bdb.uid, `Shard ${shard.uid} copies everything again; until it has, it cannot take over.`)
      } else if (!beat.isCopying && !shard.isSynced) this.#parts.look(live.bdb.uid)
    }
  }

  #tellCopies(uid: number, message: string): void {
    this.#parts.tell('replica_copies_again', `bdb:${uid}`, message)
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

/** Of those that are there now; those that are not are closed. */
function renewed<Key, Each extends Beat>(before: Map<Key, Each>, keys: readonly Key[], make: (key: Key) => Each) {
  const after = new Map(keys.map((key) => [key, before.get(key) ?? make(key)]))
  for (const [key, beat] of before) if (!after.has(key)) beat.close()
  return after
}

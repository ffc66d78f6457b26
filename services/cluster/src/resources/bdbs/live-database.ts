// A database with its processes: its shards and its endpoint. What is recorded is brought about; what has died, again.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@atoll/kernel/db/database'
import * as errors from '../../errors.ts'
import type { HandoverReport } from '../../proxy/endpoint.ts'
import { processesIn } from '../../redis/processes.ts'
import type { ShardAddress } from '../../redis/redis-connection.ts'
import { awaitSynced, follow, isLinked } from '../../redis/replication.ts'
import { adminUser, type ModuleFile, type ShardSpec, shardHost, socketOf } from '../../redis/shard-config.ts'
import { eraseData, ShardFailed, ShardProcess } from '../../redis/shard-process.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import { type Bdb, type Shard, shardSettings } from './bdb.ts'
import { freePort } from './free-port.ts'
import { LiveEndpoint } from './live-endpoint.ts'
import { isOlder } from './shard-order.ts'
import { addressOf, moduleFiles, type SpecParts, shardFolder, shardSpec } from './shard-spec.ts'
import { deleteShard, saveShard, updateBdb } from './store.ts'
import { actualMaster, isAlive, promoteBest } from './succession.ts'

export interface LiveParts extends SpecParts {
  db: Database
  /** Where endpoints listen. */
  host: string
  /** What they show where clients have to speak TLS. */
  certificate(): Promise<{ cert: string; key: string }>
  newShardUid(): Promise<string>
  /** Something of it has ended. */
  died(uid: number): void
  /** For the log of the cluster. */
  tell(type: string, object: string, message: string): void
}

const handOverMs = 5000
const attachMs = 2000
const portAttempts = 5
const defaultMaxClients = 10_000
const portTaken = /Address already in use|Failed listening on port|Could not create server TCP/i

export class LiveDatabase {
  bdb: Bdb
  shards: Shard[]
  readonly endpoint: LiveEndpoint
  /** An action has it in its hands. */
  isHeld = false
  /** So many replicas were told to copy everything. */
  copies = 0
  readonly #parts: LiveParts
  #isReleased = false

  constructor(parts: LiveParts, bdb: Bdb, shards: Shard[]) {
    this.#parts = parts
    this.bdb = bdb
    this.shards = shards
    const { uid, port, adminPassword, settings } = bdb
    const spec = {
      folder: join(parts.folder, 'endpoints', String(uid)),
      listen: { host: parts.host, port },
      credentials: { username: adminUser, password: adminPassword },
      maxClients: settings.max_connections || defaultMaxClients,
      ...(settings.tls_mode === 'enabled' ? { certificate: parts.certificate } : {}),
    }
    this.endpoint = new LiveEndpoint(spec, () => this.#died())
  }

  get master(): Shard {
    const master = this.shards.find(({ role }) => role === 'master')
    if (master === undefined) throw new Error(`Database ${this.bdb.uid} has no master.`)
    return master
  }

  shard(uid: string): Shard {
    const found = this.shards.find((shard) => shard.uid === uid)
    if (found === undefined) throw errors.noSuchShard(uid)
    return found
  }

  /** Of a shard that runs. */
  process(uid: string): ShardProcess {
    const { process } = this.shard(uid)
    if (process === undefined) throw new Error(`Shard ${uid} does not run.`)
    return process
  }

  folderOf(uid: string): string {
    return shardFolder(this.#parts, uid)
  }

  /** Finds again what still runs. */
  async adopt(): Promise<void> {
    for (const shard of this.shards) {
      this.#runs(shard, await ShardProcess.adopt(await this.#spec(shard)))
      await shard.process?.apply(shardSettings(this.bdb)).catch(() => undefined)
    }
    await this.endpoint.adopt()
  }

  /** Processes go on. */
  release(): void {
    this.#isReleased = true
    for (const { process } of this.shards) process?.release()
    this.endpoint.release()
  }

  async save(changes: Partial<Bdb>): Promise<void> {
    const bdb = { ...this.bdb, ...changes }
    await updateBdb(this.#parts.db.queries, bdb)
    this.bdb = bdb
  }

  /** Brings about what is recorded. True when something had to be started or put right. */
  async revive(): Promise<boolean> {
    await this.#findAgain()
    let hasChanged = await this.#reviveMaster()
    // Clients first: a replica takes as long as its data is large.
    hasChanged = (await this.endpoint.revive(this.process(this.master.uid).address)) || hasChanged
    for (const shard of this.shards.filter(({ role }) => role === 'slave')) {
      if (await isAlive(shard)) await this.#attach(shard)
      // An older one would end on its master's data: it is to be rebuilt.
      else if (!isOlder(shard.modules, this.master.modules)) {
        await this.#startReplica(shard)
        hasChanged = true
      }
    }
    return hasChanged
  }

  /** As many replicas as the settings say. */
  async matchReplication(): Promise<void> {
    const slaves = this.shards.filter(({ role }) => role === 'slave')
    if (!this.bdb.settings.replication) for (const { uid } of slaves) await this.removeShard(uid)
    else if (slaves.length === 0) await this.addReplica(await this.#parts.newShardUid(), this.master.modules)
  }

  /** The first shard of a new database, and all that goes with it. */
  async begin(): Promise<void> {
    const { engine, moduleList } = this.bdb
    const shard = await this.#newShard(await this.#parts.newShardUid(), 'master', { engine, modules: moduleList })
    await this.#start(shard)
    await this.matchReplication()
    await this.endpoint.open(this.process(shard.uid).address)
  }

  /** Resolves when it has everything. Where it is there already, it begins again. */
  async addReplica(uid: string, modules: readonly LoadedModule[], engine = this.master.engine): Promise<void> {
    if (this.shards.some((shard) => shard.uid === uid)) await this.rebuild(uid, modules)
    else await this.#startReplica(await this.#newShard(uid, 'slave', { engine, modules: [...modules] }))
  }

  /** Ends a replica and begins it again, empty. */
  async rebuild(uid: string, modules: readonly LoadedModule[]): Promise<void> {
    const shard = this.#replica(uid)
    shard.modules = [...modules]
    await this.#startReplica(shard)
  }

  /** The master, with nothing in it. */
  async beginAnew(modules: readonly LoadedModule[]): Promise<void> {
    const shard = this.master
    const before = shard.process
    shard.process = undefined
    shard.modules = [...modules]
    await saveShard(this.#parts.db.queries, shard)
    await before?.stop({ kill: true })
    await eraseData(this.folderOf(shard.uid))
    await this.#start(shard)
    await this.endpoint.revive(this.process(shard.uid).address)
  }

  async removeShard(uid: string, { eraseData: erases = true } = {}): Promise<void> {
    const shard = this.#replica(uid)
    this.shards = this.shards.filter((each) => each !== shard)
    await shard.process?.stop({ kill: erases })
    await deleteShard(this.#parts.db.queries, uid)
    if (erases) await rm(this.folderOf(uid), { recursive: true, force: true })
  }

  /** The replica becomes master; all others follow it. */
  async handOver(uid: string): Promise<HandoverReport> {
    const successor = this.shard(uid)
    const replication = addressOf(this.shard(uid))
    const report = await this.endpoint.proxy.handOver(this.process(uid).address, handOverMs, replication)
    // At once: until the others follow, its new writes are nowhere else.
    const others = this.shards.filter((shard) => shard !== successor && shard.process !== undefined)
    await Promise.allSettled(others.map((shard) => follow(this.process(shard.uid), addressOf(successor))))
    await this.#recordMaster(uid)
    for (const shard of others) if (await isAlive(shard)) await this.#attach(shard)
    this.#parts.tell('shard_promoted', `shard:${uid}`, `Shard ${uid} is the master after a handover.`)
    return report
  }

  /** It copies everything again: what it has is nothing whole. */
  async losesSync(shard: Shard): Promise<void> {
    shard.isSynced = false
    await saveShard(this.#parts.db.queries, shard)
  }

  async applySettings(): Promise<void> {
    for (const { process } of this.shards) await process?.apply(shardSettings(this.bdb))
  }

  /** Ends everything of it; the files stay. */
  async halt(): Promise<void> {
    this.release()
    await this.endpoint.stop()
    for (const { process } of this.shards) await process?.stop()
  }

  /** Ends everything of it and removes its files. */
  async erase(): Promise<void> {
    this.release()
    await this.endpoint.erase()
    for (const { process, uid } of this.shards) {
      await process?.stop({ kill: true })
      await rm(this.folderOf(uid), { recursive: true, force: true })
    }
  }

  moduleFiles(modules: readonly LoadedModule[]): Promise<ModuleFile[]> {
    return moduleFiles(this.#parts, modules)
  }

  #replica(uid: string): Shard {
    const shard = this.shard(uid)
    if (shard.role === 'master') throw new Error(`Shard ${uid} is the master of its database.`)
    return shard
  }

  async #newShard(uid: string, role: Shard['role'], what: Pick<Shard, 'engine' | 'modules'>): Promise<Shard> {
    const port = await freePort(shardHost)
    const shard: Shard = { uid, bdbUid: this.bdb.uid, role, port, ...what, isSynced: false, process: undefined }
    await saveShard(this.#parts.db.queries, shard)
    this.shards.push(shard)
    return shard
  }

  /** It goes on with what it has. When it has found its master it can take over from it. */
  async #attach(shard: Shard): Promise<void> {
    const process = this.process(shard.uid)
    await follow(process, addressOf(this.master))
    // A copy of everything would take longer, and an older version may end on it: then it is to be rebuilt.
    const isSynced =
      shard.isSynced || (await isLinked(process, this.process(this.master.uid), attachMs).catch(() => false))
    if (isSynced === shard.isSynced) return
    shard.isSynced = isSynced
    await saveShard(this.#parts.db.queries, shard)
  }

  /** It begins with nothing: what it may have kept can differ from its master without anybody noticing. */
  async #startReplica(shard: Shard): Promise<void> {
    const { queries } = this.#parts.db
    const before = shard.process
    shard.process = undefined
    shard.isSynced = false
    this.copies++
    await saveShard(queries, shard)
    await before?.stop({ kill: true })
    await eraseData(this.folderOf(shard.uid))
    await this.#start(shard)
    await awaitSynced(this.process(shard.uid), this.process(this.master.uid))
    shard.isSynced = true
    await saveShard(queries, shard)
  }

  /** The port may have been taken by somebody since: then another one will do. */
  async #start(shard: Shard): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#runs(shard, await ShardProcess.start(await this.#spec(shard)))
        return
      } catch (error) {
        if (!(error instanceof ShardFailed) || !portTaken.test(error.message) || attempt >= portAttempts) throw error
        shard.port = await freePort(shardHost)
        await saveShard(this.#parts.db.queries, shard)
      }
    }
  }

  async #reviveMaster(): Promise<boolean> {
    const target = await this.endpoint.target()
    const serving = await actualMaster(this.shards, target)
    // A handover that was not recorded any more: its new master has taken writes, and has died since.
    // One that had not everything was no such master: the endpoint has missed that another one took over from it.
    const last = this.shards.find((shard) => shard.isSynced && isAt(target, this.folderOf(shard.uid)))
    if (serving === undefined && last !== undefined && last !== this.master) await this.#recordMaster(last.uid)
    const { uid } = this.master
    if (serving?.uid === uid) return false
    if (serving === undefined && this.bdb.settings.data_persistence === 'aof' && (await this.#restarted())) return true
    const successor = serving ?? (await promoteBest(this.shards))
    if (successor !== undefined) {
      await this.#recordMaster(successor.uid)
      this.#parts.tell('failover', `shard:${uid}`, `Shard ${successor.uid} took over from shard ${uid}.`)
      return true
    }
    // Begun again with nothing, it would empty the replicas that have everything.
    const holders = this.shards.filter(({ role, isSynced }) => role === 'slave' && isSynced)
    for (const holder of holders) {
      const isThere = (await isAlive(holder)) || (await processesIn(this.folderOf(holder.uid))).length > 0
      if (isThere) throw new Error(`Shard ${holder.uid} cannot take over from shard ${uid} yet.`)
    }
    await this.#restart()
    return true
  }

  /** Those that run and gave no answer when they were looked for. */
  async #findAgain(): Promise<void> {
    for (const shard of this.shards) {
      if (shard.process === undefined) this.#runs(shard, await ShardProcess.adopt(await this.#spec(shard)))
    }
  }

  /** Its file has every write that was acknowledged; a replica may lack the last of them. */
  async #restarted(): Promise<boolean> {
    return this.#restart().then(
      () => true,
      () => false,
    )
  }

  async #restart(): Promise<void> {
    const { uid } = this.master
    await this.#start(this.master)
    this.#parts.tell('shard_restarted', `shard:${uid}`, `Shard ${uid} was started again.`)
  }

  /** In one write, so that there is never more or less than one. */
  async #recordMaster(uid: string): Promise<void> {
    const roles = this.shards.map((shard) => ({ shard, role: shard.uid === uid ? 'master' : 'slave' }) as const)
    await this.#parts.db.transaction(async (tx) => {
      for (const { shard, role } of roles)
        if (shard.role !== role) await saveShard(tx, { ...shard, ...changed(shard, role) })
    })
    for (const { shard, role } of roles) Object.assign(shard, changed(shard, role))
  }

  #runs(shard: Shard, process: ShardProcess | undefined): void {
    shard.process = process
    process?.onExit(() => {
      if (shard.process === process && this.shards.includes(shard)) this.#died()
    })
  }

  #died(): void {
    if (!this.#isReleased) this.#parts.died(this.bdb.uid)
  }

  #spec(shard: Shard): Promise<ShardSpec> {
    return shardSpec(this.#parts, this.bdb, shard, this.master)
  }
}

/** Whoever becomes a replica has to find its master first. */
const changed = (shard: Shard, role: Shard['role']) => ({ role, isSynced: role === shard.role && shard.isSynced })

const isAt = (target: ShardAddress | undefined, folder: string): boolean =>
  target !== undefined && 'path' in target && target.path === socketOf({ folder })

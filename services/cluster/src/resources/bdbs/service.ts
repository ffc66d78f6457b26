// Databases: made, changed, removed, kept alive.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ClusterConfig } from '../../config.ts'
import * as errors from '../../errors.ts'
import type { ProxyControl } from '../../proxies/proxy-supervisor.ts'
import type { Engine } from '../../redis/engines.ts'
import { tellsOfFullDisk } from '../../redis/full-disk.ts'
import type { Reply } from '../../redis/reply.ts'
import { ShardFailed } from '../../redis/shard-process.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import type { HeldDatabase } from '../../upgrade/ports.ts'
import type { Bdb, BdbStatus, Shard } from './bdb.ts'
import { runCommand } from './command.ts'
import { chooseEngine, describeEngine } from './engine-choice.ts'
import { choosePort } from './free-port.ts'
import { heldDatabase } from './held-database.ts'
import { LiveDatabase, type LiveParts } from './live-database.ts'
import { isPortTaken } from './live-endpoint.ts'
import { chooseModules, type KnownModule, type ModuleSource } from './module-choice.ts'
import { checkModule } from './module-fit.ts'
import { Pulse } from './pulse.ts'
import type { BdbCommand, BdbObject, CreateBdb, Endpoint, ShardObject, UpdateBdb } from './schema.ts'
import { checkMemory, passwordOf, settingsOf } from './settings.ts'
import { allBdbs, allShards, deleteBdb, insertBdb, nextNumber } from './store.ts'
import { Supervision } from './supervision.ts'
import { Turns } from './turns.ts'
import { bdbView, endpointView, shardView } from './views.ts'

interface Parts {
  db: Database
  clock: Clock
  ids: Pick<Ids, 'secret'>
  log: Log
  /** `<data>/cluster` */
  folder: string
  config: Pick<ClusterConfig, 'name' | 'release' | 'host' | 'endpointPorts' | 'silenceSeconds'>
  engines: readonly Engine[]
  user?: LiveParts['user']
  modules: ModuleSource
  certificate: LiveParts['certificate']
  /** For the log of the cluster. */
  tell?: LiveParts['tell']
}

const adminPasswordLetters = 43
const portAttempts = 5

/** Why a database could not be made, as its caller is told. */
function refusalOf(error: unknown, port: number): unknown {
  if (tellsOfFullDisk(error)) return errors.noRoom()
  if (isPortTaken(error)) return errors.portUnavailable(port)
  return error instanceof ShardFailed ? errors.shardRefused(error.message) : error
}

export class Databases {
  readonly #parts: Parts
  readonly #live = new Map<number, LiveDatabase>()
  readonly #turns = new Turns<number | 'new'>()
  readonly #supervision: Supervision
  readonly #pulse: Pulse
  /** What actions do with a database now: for `background_op`. */
  background: (uid: number) => BdbObject['background_op'] = () => []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#supervision = new Supervision((uid) => this.#tend(uid), parts.log)
    const { config, tell = () => undefined } = parts
    this.#pulse = new Pulse({
      silenceMs: config.silenceSeconds * 1000,
      databases: () => this.#live.values(),
      tell,
      look: (uid) => this.#supervision.look(uid),
    })
  }

  /** Before the first request: finds everything again that still runs. Nothing is started before `watch`. */
  async load(): Promise<void> {
    const { db } = this.#parts
    const shards = await allShards(db.queries)
    for (const bdb of await allBdbs(db.queries)) {
      const own = shards.filter(({ bdbUid }) => bdbUid === bdb.uid)
      const live = this.#newLive(bdb, own)
      // Nobody was told that it exists, or somebody that it does not: no more than that was done.
      const isHalf = bdb.status === 'pending' || bdb.status === 'delete-pending'
      if (own.some(({ role }) => role === 'master')) await live.adopt()
      if (isHalf) await this.#discard(live)
      else this.#live.set(bdb.uid, live)
    }
  }

  /** Starts again what has died meanwhile, and from now on. Upgrades that go on have taken hold before. */
  watch(): void {
    for (const uid of this.#live.keys()) this.#supervision.look(uid)
    this.#pulse.start()
  }

  /** Databases go on without Atoll. */
  async close(): Promise<void> {
    this.#pulse.stop()
    this.#supervision.stop()
    await this.#turns.idle()
    for (const live of this.#live.values()) live.release()
  }

  /** Ends all processes; the data stays. */
  async stopAll(): Promise<void> {
    this.#pulse.stop()
    this.#supervision.stop()
    await this.#turns.idle()
    await Promise.all([...this.#live.values()].map((live) => live.halt()))
  }

  list(): BdbObject[] {
    return this.#all().map((live) => this.#view(live))
  }

  get(uid: number): BdbObject {
    return this.#view(this.live(uid))
  }

  /** With its secrets. */
  record(uid: number): Bdb {
    return this.live(uid).bdb
  }

  async create(asked: CreateBdb): Promise<BdbObject> {
    const settings = settingsOf(asked)
    checkMemory(asked.memory_size)
    const engine = chooseEngine(this.#parts.engines, asked)
    const moduleList = await chooseModules(this.#parts.modules, asked.module_list ?? [])
    using inUse = new DisposableStack()
    for (const { module_id } of moduleList) inUse.use(this.#parts.modules.hold(module_id))
    for (const { module_id } of moduleList) {
      const surroundings = { settings, engineVersion: engine.version, release: this.#parts.config.release }
      checkModule(await this.#module(module_id), surroundings)
    }
    const what = { engine: engine.name, settings, moduleList, passwordSha256: passwordOf(asked) }
    for (let attempt = 1; ; attempt++) {
      const live = await this.#turns.take('new', () => this.#record(asked, what))
      try {
        await this.#turns.take(live.bdb.uid, async () => {
          await live.begin()
          await live.save({ status: 'active' })
        })
        return this.#view(live)
      } catch (error) {
        await this.#discard(live)
        // Found free, and taken since: another one will do where none was asked for.
        const mayHelp = isPortTaken(error) && asked.port === undefined && attempt < portAttempts
        if (!mayHelp) throw refusalOf(error, live.bdb.port)
      }
    }
  }

  async update(uid: number, asked: UpdateBdb): Promise<BdbObject> {
    checkMemory(asked.memory_size)
    return this.#changing(uid, async (live) => {
      const { bdb } = live
      const settings = settingsOf(asked, bdb.settings)
      for (const { module_id } of bdb.moduleList) {
        const { version: engineVersion } = this.#engine(bdb.engine)
        checkModule(await this.#module(module_id), { settings, engineVersion, release: this.#parts.config.release })
      }
      const { name = bdb.name } = asked
      this.#checkName(name, uid)
      const passwordSha256 = asked.authentication_redis_pass === undefined ? bdb.passwordSha256 : passwordOf(asked)
      await live.save({ name, settings, passwordSha256, changedAt: this.#parts.clock.now() })
      await live.applySettings()
      await live.matchReplication()
      return this.#view(live)
    })
  }

  async remove(uid: number): Promise<void> {
    await this.#changing(uid, async (live) => {
      await live.save({ status: 'delete-pending' })
      await this.#discard(live)
    })
  }

  /** On the master, between actions: one that is at work would not know of a write that did not come by the endpoint. */
  command(uid: number, asked: BdbCommand): Promise<Reply> {
    return this.#changing(uid, async (live) => runCommand(live.process(live.master.uid), asked))
  }

  /** Nobody else starts, stops or promotes its shards until it is let go. */
  async hold(uid: number): Promise<HeldDatabase> {
    const live = this.live(uid)
    await this.#turns.take(uid, async () => {
      if (live.isHeld || !this.#live.has(uid)) throw errors.databaseBusy(uid)
      live.isHeld = true
    })
    return heldDatabase({
      live,
      folder: join(this.#parts.folder, 'shards'),
      moduleVersion: async (moduleUid) => (await this.#module(moduleUid)).version,
      now: () => this.#parts.clock.now(),
      letGo: () => {
        live.isHeld = false
        this.#supervision.look(uid)
      },
    })
  }

  setStatus(uid: number, status: BdbStatus): Promise<void> {
    return this.live(uid).save({ status })
  }

  newShardUid(): Promise<string> {
    return this.#parts.db.transaction(async (tx) => String(await nextNumber(tx, 'shard')))
  }

  /** Throws 404. */
  live(uid: number): LiveDatabase {
    const live = this.#live.get(uid)
    if (live === undefined) throw errors.noSuchDatabase(uid)
    return live
  }

  shardsOf(uid: number): Shard[] {
    return this.live(uid).shards
  }

  endpoint(uid: number): ProxyControl {
    return this.live(uid).endpoint.proxy
  }

  /** The names of the databases that have a module, now or for a shard of theirs. */
  async usersOf(moduleUid: string): Promise<string[]> {
    const has = (modules: readonly LoadedModule[]) => modules.some(({ module_id }) => module_id === moduleUid)
    return this.#all()
      .filter(({ bdb, shards }) => has(bdb.moduleList) || shards.some(({ modules }) => has(modules)))
      .map(({ bdb }) => `database ${bdb.name} (${bdb.uid})`)
  }

  async shardViews(bdbUid?: number): Promise<ShardObject[]> {
    const databases = bdbUid === undefined ? this.#all() : [this.live(bdbUid)]
    const now = this.#parts.clock.now()
    return Promise.all(databases.flatMap(({ shards }) => shards).map((shard) => shardView(shard, now)))
  }

  get shardCount(): number {
    return this.#all().reduce((count, { shards }) => count + shards.length, 0)
  }

  async shardViewOf(uid: string): Promise<ShardObject> {
    const shard = this.#all()
      .flatMap(({ shards }) => shards)
      .find((each) => each.uid === uid)
    if (shard === undefined) throw errors.noSuchShard(uid)
    return shardView(shard, this.#parts.clock.now())
  }

  async endpoints(): Promise<Endpoint[]> {
    return Promise.all(this.#all().map((live) => endpointView(live, this.#surroundings(live))))
  }

  /** Why writes are refused, where a shard tells that its disk takes nothing more. */
  async whyNotReady(): Promise<string | undefined> {
    const failing: string[] = []
    for (const { bdb, master } of this.#all()) {
      const isFailing = (await master.process?.cannotWrite().catch(() => false)) ?? false
      if (isFailing) failing.push(`database ${bdb.name} (${bdb.uid})`)
    }
    return failing.length === 0 ? undefined : `The data of ${failing.join(', ')} cannot be written to disk.`
  }

  #all(): LiveDatabase[] {
    return [...this.#live.values()].sort((one, other) => one.bdb.uid - other.bdb.uid)
  }

  async #changing<T>(uid: number, work: (live: LiveDatabase) => Promise<T>): Promise<T> {
    this.live(uid)
    return this.#turns.take(uid, async () => {
      const live = this.live(uid)
      if (live.isHeld) throw errors.databaseBusy(uid)
      return work(live)
    })
  }

  async #tend(uid: number): Promise<void> {
    await this.#turns.take(uid, async () => {
      const live = this.#live.get(uid)
      if (live === undefined || live.isHeld) return
      await live.revive()
      await live.matchReplication()
      if (live.bdb.status !== 'active') await live.save({ status: 'active' })
    })
  }

  /** Its number, name and port are its own from here on. */
  async #record(asked: CreateBdb, what: Pick<Bdb, 'engine' | 'settings' | 'moduleList' | 'passwordSha256'>) {
    const { db, clock, ids } = this.#parts
    this.#checkName(asked.name)
    const taken = this.#all().map((live) => live.bdb.port)
    const port = await choosePort(this.#parts.config, taken, asked.port)
    const now = clock.now()
    const adminPassword = ids.secret(adminPasswordLetters)
    const bdb = await db.transaction(async (tx) => {
      const uid = await nextNumber(tx, 'bdb')
      const record: Bdb = {
        ...{ uid, name: asked.name, status: 'pending', port, ...what, adminPassword, createdAt: now, changedAt: now },
      }
      await insertBdb(tx, record)
      return record
    })
    const live = this.#newLive(bdb, [])
    this.#live.set(bdb.uid, live)
    return live
  }

  async #discard(live: LiveDatabase): Promise<void> {
    const { uid } = live.bdb
    this.#supervision.forget(uid)
    await live.erase()
    await this.#parts.db.transaction((tx) => deleteBdb(tx, uid))
    this.#live.delete(uid)
  }

  #newLive(bdb: Bdb, shards: Shard[]): LiveDatabase {
    const { db, folder, config, user, certificate, tell = () => undefined } = this.#parts
    const parts: LiveParts = {
      ...{ db, folder, user, host: config.host, certificate, tell },
      engine: (name) => this.#engine(name),
      moduleFile: async (uid) => (await this.#module(uid)).file,
      newShardUid: () => this.newShardUid(),
      died: (uid) => this.#supervision.look(uid),
    }
    return new LiveDatabase(parts, bdb, shards)
  }

  #checkName(name: string, ownUid?: number): void {
    if (this.#all().some(({ bdb }) => bdb.name === name && bdb.uid !== ownUid)) throw errors.databaseNameExists(name)
  }

  #engine(name: string): Engine {
    const engine = this.#parts.engines.find((each) => each.name === name)
    if (engine === undefined) throw errors.noEngine(name, this.#parts.engines.map(describeEngine))
    return engine
  }

  async #module(uid: string): Promise<KnownModule> {
    const module = await this.#parts.modules.get(uid)
    if (module === undefined) throw errors.moduleUnfit('missing_module', `There is no module ${uid} in the cluster.`)
    return module
  }

  #view(live: LiveDatabase): BdbObject {
    return bdbView(live, this.#surroundings(live))
  }

  #surroundings({ bdb }: LiveDatabase) {
    const { name: clusterName, host } = this.#parts.config
    const engineVersion = this.#parts.engines.find(({ name }) => name === bdb.engine)?.version ?? ''
    return { clusterName, host, engineVersion, background: this.background(bdb.uid) }
  }
}

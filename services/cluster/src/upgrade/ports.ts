// What an upgrade does with a database. Every call may be made again after a crash: it brings about what is missing.
import type { HandoverReport } from '../proxy/endpoint.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { LoadedModule } from './plan.ts'

export interface UpgradeShard {
  uid: string
  role: 'master' | 'slave'
  modules: LoadedModule[]
}

/** A database in the hands of one upgrade: nobody else starts, stops or promotes its shards. */
export interface HeldDatabase extends Disposable {
  readonly uid: number
  shards(): Promise<UpgradeShard[]>
  connect(shardUid: string): Promise<RedisConnection>
  /** As the module itself tells it, one number: 20000 for 2.0.0. */
  moduleVersion(moduleUid: string): Promise<number>
  /** Starts again what has died, as it is recorded, and puts the roles right in the record. True when there was any. */
  revive(): Promise<boolean>
  /** A copy of the data of now, in a file. */
  snapshot(shardUid: string, file: string): Promise<void>
  /** Loads a copy, or nothing, in a process of its own that nobody else sees; resolves to its number of keys. Throws ModuleRefused. */
  rehearse(file: string | undefined, modules: readonly LoadedModule[]): Promise<number>
  /** An empty shard that has got everything from the master. Throws ModuleRefused. */
  addReplica(shardUid: string, modules: readonly LoadedModule[]): Promise<void>
  /** Ends a replica and begins it again, empty, with these modules, until it has everything. Throws ModuleRefused. */
  rebuild(shardUid: string, modules: readonly LoadedModule[]): Promise<void>
  /** Ends the master and begins it again with these modules and without its data. */
  beginAnew(modules: readonly LoadedModule[]): Promise<void>
  /** With its data. */
  remove(shardUid: string): Promise<void>
  /** Clients wait meanwhile. Afterwards this shard is the master, and all others are its replicas. */
  handOver(shardUid: string): Promise<HandoverReport>
  /** What the database is said to have from now on. */
  setModules(modules: readonly LoadedModule[]): Promise<void>
}

/** The server does not run with this module: its own words. */
export class ModuleRefused extends Error {
  override readonly name = 'ModuleRefused'
}

// What a shard of a database is started as.
import { join } from 'node:path'
import type { Engine, EngineName } from '../../redis/engines.ts'
import { type ModuleFile, type ShardSpec, shardHost } from '../../redis/shard-config.ts'
import type { ShardUser } from '../../redis/shard-user.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import { type Bdb, type Shard, shardSettings } from './bdb.ts'

export interface SpecParts {
  /** `<data>/cluster` */
  folder: string
  engine(name: EngineName): Engine
  /** Whom shards run as, where that is not whom Atoll runs as. */
  user?: ShardUser | undefined
  /** The stored file of a module. */
  moduleFile(uid: string): Promise<string>
}

export const shardFolder = ({ folder }: Pick<SpecParts, 'folder'>, uid: string): string => join(folder, 'shards', uid)

/** For replication. */
export const addressOf = ({ port }: Shard) => ({ host: shardHost, port })

export const moduleFiles = (
  { moduleFile }: Pick<SpecParts, 'moduleFile'>,
  modules: readonly LoadedModule[],
): Promise<ModuleFile[]> =>
  Promise.all(
    modules.map(async ({ module_id, module_args }) => ({ file: await moduleFile(module_id), args: module_args })),
  )

export async function shardSpec(parts: SpecParts, bdb: Bdb, shard: Shard, master: Shard): Promise<ShardSpec> {
  return {
    ...shardSettings(bdb),
    uid: shard.uid,
    bdbUid: bdb.uid,
    folder: shardFolder(parts, shard.uid),
    engine: parts.engine(shard.engine),
    ...(parts.user && { user: parts.user }),
    port: shard.port,
    modules: await moduleFiles(parts, shard.modules),
    adminPassword: bdb.adminPassword,
    ...(shard.role === 'slave' ? { replicaOf: addressOf(master) } : {}),
  }
}

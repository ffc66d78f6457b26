// Proof that a shard runs what it should, and has what its master has.
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { Reply } from '../redis/reply.ts'
import type { LoadedModule } from './plan.ts'
import type { HeldDatabase } from './ports.ts'

const sampledKeys = 500
/** Writes go on meanwhile: a key may differ because it was changed between the two looks. */
const looks = 20

export async function verifyModules(
  database: HeldDatabase,
  shardUid: string,
  wanted: readonly LoadedModule[],
): Promise<void> {
  await using connection = await database.connect(shardUid)
  const found = listOf(await connection.call('module', 'list'))
  for (const { module_id, module_name, module_args, semantic_version } of wanted) {
    const module = found.find(({ name }) => name === module_name)
    const version = await database.moduleVersion(module_id)
    if (module?.version !== version) {
      const runs = module === undefined ? 'without it' : `version ${module.version}`
      throw new Error(`Shard ${shardUid} should run ${module_name} version ${version} and runs ${runs}.`)
    }
    if (module.args !== undefined && module.args.join(' ') !== module_args.join(' ')) {
      throw new Error(`Shard ${shardUid} runs ${module_name} ${semantic_version} with other arguments.`)
    }
  }
}

/** Compares the values of keys taken at random. */
export async function verifySameKeys(database: HeldDatabase, masterUid: string, replicaUid: string): Promise<void> {
  await using master = await database.connect(masterUid)
  await using replica = await database.connect(replicaUid)
  const keys = new Set<string>()
  for (let index = 0; index < sampledKeys; index++) {
    const key = await master.call('randomkey')
    if (key === null) break
    keys.add(String(key))
  }
  let unequal = [...keys]
  for (let look = 0; look < looks && unequal.length > 0; look++) unequal = await differing(master, replica, unequal)
  if (unequal.length > 0) {
    throw new Error(`${unequal.length} of ${keys.size} keys differ between shards ${masterUid} and ${replicaUid}.`)
  }
}

async function differing(master: RedisConnection, replica: RedisConnection, keys: string[]): Promise<string[]> {
  const digests = (connection: RedisConnection) => connection.call('debug', 'digest-value', ...keys)
  const [ofMaster, ofReplica] = (await Promise.all([digests(master), digests(replica)])) as [Reply[], Reply[]]
  return keys.filter((_, index) => ofMaster[index] !== ofReplica[index])
}

interface ListedModule {
  name: string
  version: number
  args: string[] | undefined
}

const listOf = (reply: Reply): ListedModule[] =>
  (reply as Reply[][]).map((fields) => {
    const at = (name: string): Reply | undefined => fields[fields.indexOf(name) + 1]
    const args = fields.includes('args') ? (at('args') as Reply[]).map(String) : undefined
    return { name: String(at('name')), version: Number(at('ver')), args }
  })

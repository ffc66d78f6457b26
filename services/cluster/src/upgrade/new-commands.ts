// While an upgrade may still be taken back, clients must not use what only the new version knows: the old one, which
// follows, would not understand it.
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { Reply } from '../redis/reply.ts'
import type { HeldDatabase } from './ports.ts'

interface Shards {
  from: string
  unknownTo: string
}

export async function denyNewCommands(database: HeldDatabase, { from, unknownTo }: Shards): Promise<void> {
  await using newer = await database.connect(from)
  await using older = await database.connect(unknownTo)
  const known = new Set(await commandsOf(older))
  const added = (await commandsOf(newer)).filter((name) => !known.has(name))
  if (added.length > 0) await newer.call('acl', 'setuser', 'default', ...added.map((name) => `-${name}`))
}

export async function allowAllCommands(database: HeldDatabase, shardUid: string): Promise<void> {
  await using shard = await database.connect(shardUid)
  const names = await moduleCommandsOf(shard)
  if (names.length > 0) await shard.call('acl', 'setuser', 'default', ...names.map((name) => `+${name}`))
}

const commandsOf = async (shard: RedisConnection): Promise<string[]> => listOf(await shard.call('command', 'list'))

async function moduleCommandsOf(shard: RedisConnection): Promise<string[]> {
  const modules = (await shard.call('module', 'list')) as Reply[][]
  const names = modules.map((fields) => String(fields[fields.indexOf('name') + 1]))
  const lists = await Promise.all(names.map((name) => shard.call('command', 'list', 'filterby', 'module', name)))
  return lists.flatMap(listOf)
}

const listOf = (reply: Reply): string[] => (reply as Reply[]).map(String)

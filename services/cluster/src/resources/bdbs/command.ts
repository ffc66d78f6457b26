// A single command of an operator, with the rights of the database's clients: roles, persistence and modules stay the
// cluster's own affair.
import * as errors from '../../errors.ts'
import { ReplyTooLong } from '../../redis/redis-connection.ts'
import { RedisError, type Reply } from '../../redis/reply.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import type { BdbCommand } from './schema.ts'

const commandMs = 5_000
const maxReplyBytes = 1024 * 1024

/** They are about a connection, and this one ends with the answer. */
const ofConnections = new Set(
  [
    'auth',
    'hello',
    'quit',
    'reset',
    'monitor',
    'subscribe',
    'psubscribe',
    'ssubscribe',
    'multi',
    'exec',
    'watch',
  ].concat(['unsubscribe', 'punsubscribe', 'sunsubscribe', 'discard', 'client']),
)

export async function runCommand(process: ShardProcess, { command, args }: BdbCommand): Promise<Reply> {
  const name = command.toLowerCase()
  if (ofConnections.has(name)) {
    throw errors.commandRefused(`${command} is about a connection, and here each command has its own: use redis-cli.`)
  }
  await using connection = await process.connect()
  connection.maxReplyBytes = maxReplyBytes
  try {
    const verdict = await connection.call('acl', 'dryrun', 'default', command, ...args)
    if (verdict !== 'OK') throw errors.commandRefused(String(verdict))
    return await connection.callWithin(commandMs, command, ...args)
  } catch (error) {
    if (error instanceof RedisError) throw errors.commandRefused(error.message)
    if (error instanceof ReplyTooLong) {
      throw errors.commandRefused(`The answer is longer than ${maxReplyBytes} bytes: ask for less of it.`)
    }
    if (error instanceof Error && /did not answer/.test(error.message)) {
      throw errors.commandRefused(`${command} has not ended within ${commandMs / 1000} seconds: use redis-cli.`)
    }
    throw error
  }
}

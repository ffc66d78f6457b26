// What clients may not do, as the page for them tells it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeCluster, type WholeCluster } from '../testing/whole-cluster.ts'
import { RedisConnection } from './redis-connection.ts'
import { clientRules } from './shard-config.ts'

const missing = lacking('redis-server')
const page = join(import.meta.dirname, '../../../../docs/cluster.md')
const commands = [
  ...['replicaof no one', 'slaveof no one', 'failover', 'sync', 'psync ? -1', 'replconf ack 1', 'cluster info'],
  ...['migrate 127.0.0.1 1 key 0 1', 'save', 'bgsave', 'bgrewriteaof', 'shutdown nosave', 'config get dir'],
  ...['debug jmap', 'module load x', 'acl users', 'client pause 1', 'client unpause'],
]
/** The endpoint does these itself. */
const doneByEndpoint = ['client|reply', 'client|kill']

describe.skipIf(missing !== '')(`commands withheld from clients (${missing || 'redis-server'})`, () => {
  let whole: WholeCluster
  let client: RedisConnection

  beforeAll(async () => {
    whole = await startWholeCluster()
    const { body } = await whole.admin.call('POST', '/v1/bdbs', { name: 'withheld' })
    client = await RedisConnection.open({ host: '127.0.0.1', port: body.port })
  }, 60_000)
  afterAll(async () => {
    client.close()
    await whole.stop()
  })

  it('are those that the page names, and each says that it is not allowed', async () => {
    const rows = (await readFile(page, 'utf8')).split('\n').filter((line) => /^\| `[A-Z]/.test(line))
    const told = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/(but )?`([A-Z ]+)`/g)])
    const named = told.filter(([, but]) => but === undefined).map(([, , name = '']) => name.toLowerCase())
    const rules = clientRules(undefined).filter((rule) => rule.startsWith('-'))
    const withheld = rules.map((rule) => rule.slice(1)).filter((name) => !doneByEndpoint.includes(name))
    expect(named.toSorted()).toEqual(withheld.map((name) => name.replace('|', ' ')).toSorted())
    for (const name of named) {
      const command = commands.find((each) => each.startsWith(name))
      expect(command, name).toBeDefined()
      await expect(client.call(...command!.split(' ')), command).rejects.toThrow(
        /^NOPERM|^ERR MODULE command not allowed/,
      )
    }
  })

  it('are none of those that the endpoint does itself, or that look at oneself', async () => {
    expect(await client.call('module', 'list')).toEqual([])
    expect(await client.call('acl', 'whoami')).toBe('default')
    const id = await client.call('client', 'id')
    expect(await client.call('client', 'unblock', String(id))).toBe(0)
    expect(await client.call('client', 'kill', 'id', '999999')).toBe(0)
    expect(await client.call('client', 'reply', 'on')).toBe('OK')
  })
})

// What clients are told of clients: themselves and the others by their own addresses, and nobody else.

import { lacking } from '@atoll/testkit/lacking'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RedisConnection } from '../redis/redis-connection.ts'
import { ask, type ProxiedPair, startProxiedPair } from './testing/proxied-pair.ts'
import type { RawClient } from './testing/raw-client.ts'

const lacks = lacking('redis-server')
const waiting = { timeout: 20_000, interval: 20 }

describe.skipIf(lacks !== '')(`clients that look around (${lacks || 'redis-server'})`, () => {
  let database: ProxiedPair

  beforeEach(async () => {
    database = await startProxiedPair()
  })
  afterEach(() => database.stop())

  const said = async (client: RawClient, line: string, end: RegExp) => {
    client.say(line)
    await expect.poll(() => client.heard, waiting).toMatch(end)
    const { heard } = client
    await client.hear(...heard.split('\r\n').slice(0, -1))
    return heard
  }
  const idOf = async (client: RawClient) => Number((await said(client, 'CLIENT ID', /^:\d+\r\n$/)).slice(1))
  /** Its commands go over the shared connection. */
  const rides = async (client: RawClient) => {
    for (let round = 0; round < 3; round++) {
      client.say('*1', '$4', 'PING')
      await client.hear('+PONG')
    }
  }

  it('see each client once, with its own address, and no connection of the endpoint', async () => {
    const [asking, riding, listening] = [database.raw(), database.raw(), database.raw()]
    await rides(riding)
    listening.say('SUBSCRIBE news')
    await expect.poll(() => listening.heard, waiting).toMatch(/:1\r\n$/)
    const list = await said(asking, 'CLIENT LIST', /resp=2\n\r\n$/)
    const lines = list.split('\n').filter((line) => line.startsWith('id='))
    const addresses = lines.map((line) => / addr=(\S+) /.exec(line)?.[1])
    expect(new Set(addresses)).toEqual(new Set([asking, riding, listening].map(({ address }) => address)))
    expect(lines).toHaveLength(3)
    expect(list).not.toMatch(/unix|\/s:0|flags=\w*U/)
    const id = await idOf(asking)
    expect(await said(asking, 'CLIENT INFO', /resp=2\n\r\n$/)).toMatch(new RegExp(`id=${id} addr=${asking.address} `))
    expect(await said(asking, `CLIENT LIST ID ${id}`, /resp=2\n\r\n$/)).toMatch(new RegExp(`^\\$\\d+\r\nid=${id} `))
    expect(await said(asking, 'INFO clients', /\r\n\r\n$/)).toContain('connected_clients:3\r\n')
  })

  it('are shown in the slow log and to those who watch', async () => {
    await ask(database.master, 'config', 'set', 'slowlog-log-slower-than', '20000')
    const [slow, watching, another, riding] = [database.raw(), database.raw(), database.raw(), database.raw()]
    await idOf(slow)
    for (const client of [watching, another]) {
      client.say('MONITOR')
      await client.hear('+OK')
    }
    await rides(riding)
    slow.say(
      `EVAL "local t = redis.call('time'); repeat local n = redis.call('time') until (n[1] - t[1]) * 1000000 + n[2] - t[2] > 60000; return 'slow'" 0`,
    )
    await slow.hear('$4', 'slow')
    riding.say('*3', '$3', 'SET', '$1', 'a', '$1', '1')
    await riding.hear('+OK')
    await expect.poll(() => watching.heard, waiting).toContain('"SET" "a" "1"')
    riding.say('*2', '$4', 'AUTH', '$6', 'secret')
    await expect.poll(() => watching.heard, waiting).toContain(`[0 ${riding.address}] "AUTH" "(redacted)"`)
    await expect.poll(() => another.heard, waiting).toContain('(redacted)')
    for (const { heard } of [watching, another]) {
      expect(heard).toMatch(new RegExp(`\\[0 ${riding.address}\\] "SET" "a" "1"`))
      expect(heard).toMatch(new RegExp(`\\[0 ${slow.address}\\] "EVAL"`))
      expect(heard).not.toMatch(/unix|CLIENT" "ID|unknown/i)
    }
    slow.say('SLOWLOG GET 10')
    await expect.poll(() => slow.heard, waiting).toContain(slow.address)
    expect(slow.heard).not.toMatch(/unix|\/s:0/)
  })

  it('see the same inside a transaction', async () => {
    const [client, other] = [database.raw(), database.raw()]
    const [id, otherId] = [await idOf(client), await idOf(other)]
    client.say('MULTI', 'CLIENT ID', 'PING', 'CLIENT LIST', 'INFO clients', 'CLIENT SETNAME me')
    await client.hear('+OK', ...Array<string>(5).fill('+QUEUED'))
    const told = await said(client, 'EXEC', /connected_clients:2\r\n.*\+OK\r\n$/s)
    expect(told).toMatch(
      new RegExp(`^\\*5\\r\\n:${id}\\r\\n\\+PONG\\r\\n\\$\\d+\\r\\nid=${id} addr=${client.address} `),
    )
    expect(told).toContain(`\nid=${otherId} addr=${other.address} `)
    expect(told).not.toMatch(/unix|\/s:0/)
    await database.endpoint.handOver(database.replica.address, 5000)
    client.say('CLIENT GETNAME')
    await client.hear('$2', 'me')
  })

  it('are told and counted in the slow log without what the cluster does', async () => {
    await using own = await RedisConnection.open(database.master.address, { username: 'default', password: 'any' })
    const client = database.raw()
    await idOf(client)
    await own.call('slowlog', 'reset')
    await own.call('config', 'set', 'slowlog-log-slower-than', '0')
    await rides(client)
    for (let round = 0; round < 5; round++) await own.call('info', 'server')
    await own.call('config', 'set', 'slowlog-log-slower-than', '-1')
    client.say('SLOWLOG LEN')
    await client.hear(':3')
    expect(await said(client, 'SLOWLOG GET 2', /^\*2(.*ping.*){2}$/is)).not.toMatch(/info|config/i)
    client.say('SLOWLOG GET x', 'SLOWLOG GET -2')
    for (let round = 0; round < 2; round++) await client.hear('-ERR count should be greater than or equal to -1')
  })

  it('redirect invalidations by the number that the other was told', async () => {
    const [one, other] = [database.raw(), database.raw()]
    const id = await idOf(other)
    one.say(`CLIENT TRACKING ON REDIRECT ${id}`, 'CLIENT GETREDIR')
    await one.hear('+OK', `:${id}`)
    expect(await said(one, 'CLIENT TRACKINGINFO', /prefixes\r\n\*0\r\n$/)).toContain(`redirect\r\n:${id}\r\n`)
    one.say('CLIENT UNBLOCK nobody', 'CLIENT TRACKING ON REDIRECT nobody')
    for (let round = 0; round < 2; round++) await one.hear('-ERR value is not an integer or out of range')
  })

  it('are left at a handover when they redirect to a number that the next shard does not know', async () => {
    const [one, other, none] = [database.raw(), database.raw(), database.raw()]
    one.say(`CLIENT TRACKING ON REDIRECT ${await idOf(other)}`)
    await one.hear('+OK')
    none.say('CLIENT TRACKING OFF')
    await none.hear('+OK')
    await database.endpoint.handOver(database.replica.address, 5000)
    await expect.poll(() => one.isClosed, waiting).toBe(true)
    for (const client of [other, none]) {
      client.say('PING')
      await client.hear('+PONG')
    }
  })

  it('may end and wake one another, and turn replies off', async () => {
    const [one, other, quiet] = [database.raw(), database.raw(), database.raw()]
    const id = await idOf(other)
    other.say('BLPOP nothing 0')
    await expect
      .poll(async () => String(await ask(database.master, 'info', 'clients')), waiting)
      .toMatch(/blocked_clients:1/)
    one.say(`CLIENT UNBLOCK ${id} ERROR`)
    await one.hear(':1')
    await expect.poll(() => other.heard, waiting).toMatch(/^-UNBLOCKED/)
    one.say('CLIENT KILL ID 999999', `CLIENT KILL ID ${id}`, 'CLIENT KILL 1.2.3.4:5', 'CLIENT KILL TYPE x', 'PING')
    await one.hear(':0', ':1', '-ERR No such client', "-ERR Unknown client type 'x'", '+PONG')
    await expect.poll(() => other.isClosed, waiting).toBe(true)
    quiet.say('CLIENT REPLY OFF', 'SUBSCRIBE news', 'UNSUBSCRIBE news')
    await quiet.hear('*3', '$9', 'subscribe', '$4', 'news', ':1', '*3', '$11', 'unsubscribe', '$4', 'news', ':0')
    quiet.say('PING', 'SET a 1', 'CLIENT REPLY ON', 'CLIENT REPLY SKIP', 'PING', 'GET a')
    await quiet.hear('+OK', '$1', '1')
  })
})

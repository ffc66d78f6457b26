// Clients that share a connection to the shard: each hears its own replies, whatever the others do.

import { lacking } from '@atoll/testkit/lacking'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { infoOf, RedisConnection } from '../redis/redis-connection.ts'
import { ask, type ProxiedPair, startProxiedPair } from './testing/proxied-pair.ts'
import type { RawClient } from './testing/raw-client.ts'

const lacks = lacking('redis-server')
const deadlineMs = 5000
const waiting = { timeout: 20_000, interval: 20 }

describe.skipIf(lacks !== '')(`clients that share a connection (${lacks || 'redis-server'})`, () => {
  let database: ProxiedPair

  beforeEach(async () => {
    database = await startProxiedPair()
  })
  afterEach(() => database.stop())

  const raw = () => database.raw()
  const onMaster = (...command: string[]) => ask(database.master, ...command)
  /** Without the replica, and without whoever asks. */
  const connections = async () => {
    await using connection = await RedisConnection.open(database.master.address)
    return Number((await infoOf(connection, 'clients'))['connected_clients']) - 1
  }
  /** The shard has let it in, and its commands go over the shared connection. */
  const rides = async (client: RawClient) => {
    for (let round = 0; round < 3; round++) {
      client.say(...spoken('PING'))
      await client.hear('+PONG')
    }
  }
  const spoken = (...words: string[]) => [
    `*${words.length}`,
    ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]),
  ]

  it('hear their own replies, with commands of all kinds between, cut anywhere, through handovers', async () => {
    let isOver = false
    const talk = async (name: number) => {
      const client = raw()
      let turn = 0
      for (; !isOver || turn < 30; turn++) {
        const own = `${name}-${turn}-${'x'.repeat((name * 37 + turn * 101) % 900)}`
        const reply = [`$${own.length}`, own]
        if (turn % 7 === name % 7) {
          client.sayInPieces(name + turn, [...spoken('MULTI'), ...spoken('ECHO', own), ...spoken('EXEC')])
          await client.hear('+OK', '+QUEUED', '*1', ...reply)
        } else if (turn % 11 === name % 11 && name % 2 === 0) {
          client.sayInPieces(name + turn, [...spoken('ECHO', own), ...spoken('SELECT', '0'), ...spoken('ECHO', own)])
          await client.hear(...reply, '+OK', ...reply)
        } else {
          client.sayInPieces(name + turn, [...spoken('SET', `k${name}`, own), ...spoken('GET', `k${name}`)])
          await client.hear('+OK', ...reply)
        }
      }
      return turn
    }
    const talks = Array.from({ length: 12 }, (_, name) => talk(name))
    const [one, other] = [database.master, database.replica]
    const address = (server: typeof one) => ({ host: '127.0.0.1', port: server.port })
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      await database.endpoint.handOver(to.address, deadlineMs, address(to))
      await using replica = await RedisConnection.open(from.address)
      await expect.poll(async () => (await infoOf(replica, 'replication'))['master_link_status'], waiting).toBe('up')
    }
    isOver = true
    for (const turns of await Promise.all(talks)) expect(turns).toBeGreaterThanOrEqual(30)
  }, 60_000)

  it.each(['>', '$', '+', ':', '-'])('hear a large value whole, whatever its pieces begin with: %s', async (sign) => {
    // Wherever a piece ends, some of the next ones begin with the sign.
    const value = Array.from({ length: 64 }, (_, at) => `${'x'.repeat(at % 5)}${`${sign}1\r\n`.repeat(16_000)}`).join(
      '',
    )
    await onMaster('SET', 'large', value)
    const client = raw()
    await rides(client)
    for (let round = 0; round < 3; round++) {
      client.say(...spoken('GET', 'large'), ...spoken('ECHO', 'next'))
      await client.hear(`$${value.length}`, value, '$4', 'next')
    }
  })

  it('are many on one connection, also those that have said who they are', async () => {
    await onMaster('config', 'set', 'requirepass', 'secret')
    await using admin = await RedisConnection.open(database.master.address, { username: 'default', password: 'secret' })
    const counted = async () => Number((await infoOf(admin, 'clients'))['connected_clients'])
    const before = await counted()
    const stranger = raw()
    stranger.say(...spoken('GET', 'a'))
    await stranger.hear('-NOAUTH Authentication required.')
    const known = await Promise.all(
      Array.from({ length: 12 }, (_, index) => database.redis({ RESP: index % 2 === 0 ? 2 : 3, password: 'secret' })),
    )
    for (const client of known) await client.set('a', '1')
    await Promise.all(known.map(async (client) => expect(await client.get('a')).toBe('1')))
    stranger.say(...spoken('GET', 'a'))
    await stranger.hear('-NOAUTH Authentication required.')
    await expect.poll(counted, waiting).toBeLessThanOrEqual(before + 4)
    const name = await known[0]!.sendCommand(['ACL', 'WHOAMI'])
    expect(String(name)).toBe('default')
  })

  it('need the password from the moment it is set, also where a connection is older', async () => {
    const before = raw()
    await rides(before)
    await onMaster('config', 'set', 'requirepass', 'secret')
    const after = raw()
    for (let round = 0; round < 5; round++) {
      after.say(...spoken('GET', 'a'))
      await after.hear('-NOAUTH Authentication required.')
    }
    before.say(...spoken('PING'))
    await before.hear('+PONG')
    after.say(...spoken('AUTH', 'secret'))
    await after.hear('+OK')
    await rides(after)
    await using admin = await RedisConnection.open(database.master.address, { username: 'default', password: 'secret' })
    expect(await admin.call('get', 'a')).toBeNull()
  })

  it('do not get the replies of one that has left', async () => {
    const stayed = raw()
    for (let round = 0; round < 20; round++) {
      const leaving = raw()
      await rides(leaving)
      const commands = Array.from({ length: 50 }, (_, index) => spoken('ECHO', `left-${index}`)).flat()
      leaving.say(...commands)
      stayed.say(...spoken('ECHO', `stayed-${round}`))
      if (round % 2 === 0) await leaving.hear('$6', 'left-0')
      leaving.close()
      await stayed.hear(`$${`stayed-${round}`.length}`, `stayed-${round}`)
    }
  })

  it('go on while one of them does not read, and it hears everything when it does', async () => {
    const value = 'v'.repeat(400_000)
    await onMaster('set', 'large', value)
    const [slow, other] = [raw(), raw()]
    await rides(slow)
    slow.pause()
    slow.say(...Array.from({ length: 60 }, () => spoken('GET', 'large')).flat())
    for (let round = 0; round < 50; round++) {
      other.say(...spoken('INCR', 'count'))
      await other.hear(`:${round + 1}`)
    }
    slow.say(...spoken('GET', 'count'))
    slow.resume()
    for (let round = 0; round < 60; round++) await slow.hear('$400000', value)
    await slow.hear('$2', '50')
  }, 30_000)

  it('go on while one reads 100 MB at 12 MB/s, all of it, and another nothing of three times as much', async () => {
    const value = 'v'.repeat(1_500_000)
    await onMaster('set', 'large', value)
    const [slow, stopped, other] = [raw(), raw(), raw()]
    for (const client of [slow, stopped, other]) {
      await rides(client)
      // After many small replies as many commands are under way at once as ever.
      client.say(...Array.from({ length: 2000 }, () => spoken('PING')).flat())
      await client.hear(...Array<string>(2000).fill('+PONG'))
    }
    slow.readAt(12_000_000)
    stopped.pause()
    stopped.say(...Array.from({ length: 200 }, () => spoken('GET', 'large')).flat())
    slow.say(...Array.from({ length: 70 }, () => spoken('GET', 'large')).flat())
    let longestMs = 0
    const wantedBytes = 70 * `$1500000\r\n${value}\r\n`.length
    for (let round = 1; slow.heard.length < wantedBytes && !slow.isClosed; round++) {
      const began = performance.now()
      other.say(...spoken('INCR', 'count'))
      await other.hear(`:${round}`)
      longestMs = Math.max(longestMs, performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(slow.heard.length).toBe(wantedBytes)
    expect(longestMs).toBeLessThan(8000)
    stopped.resume()
    await expect.poll(() => stopped.heard.length, { timeout: 60_000 }).toBe((wantedBytes / 70) * 200)
  }, 120_000)

  it('go on while one has asked for more than can be kept for it, and is left when it does not read', async () => {
    await onMaster('set', 'large', 'v'.repeat(5_000_000))
    const [stopped, other] = [raw(), raw()]
    await rides(stopped)
    stopped.say(...Array.from({ length: 1000 }, () => spoken('PING')).flat())
    await stopped.hear(...Array<string>(1000).fill('+PONG'))
    stopped.pause()
    stopped.say(...Array.from({ length: 60 }, () => spoken('GET', 'large')).flat())
    for (let round = 1; database.endpoint.clients > 1 || round < 50; round++) {
      other.say(...spoken('INCR', 'count'))
      await other.hear(`:${round}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(other.isClosed).toBe(false)
  }, 60_000)

  it('are safe from one that speaks otherwise than Redis reads', async () => {
    const victim = raw()
    const attempts = [
      '*1\r2\n$4\r\nPING\r\n',
      '*01\r\n$4\r\nPING\r\n',
      '*1\r\n$04\r\nPING\r\n',
      '*1\r\n$\r\nPING\r\n',
      '*1\r\n$4\n\nPING\r\n',
      '*2\r\n$4\r\nECHO\r\n$1x\r\na\r\n',
      '*1\r\n$-1\r\n',
    ]
    for (const [index, words] of attempts.entries()) {
      const attacker = raw()
      await rides(attacker)
      attacker.say(words.slice(0, -2))
      victim.say(...spoken('ECHO', `victim-${index}`))
      await victim.hear('$8', `victim-${index}`)
      await expect.poll(() => attacker.isClosed, waiting).toBe(true)
      expect(attacker.heard, words).toMatch(/^-ERR Protocol error/)
    }
    const nameless = raw()
    nameless.say(...spoken(''), ...spoken('PING'))
    await expect.poll(() => nameless.heard, waiting).toMatch(/^-ERR unknown command.*\r\n\+PONG\r\n$/)
  })

  it('do not hear what somebody makes the shard send to their connection', async () => {
    const [one, other, attacker] = [raw(), raw(), raw()]
    for (const client of [one, other]) {
      client.say(...spoken('HELLO', '3'))
      await expect.poll(() => client.heard, waiting).toMatch(/modules\r\n\*0\r\n$/)
      await client.hear(...client.heard.split('\r\n').slice(0, -1))
      await rides(client)
    }
    const list = String(await onMaster('client', 'list'))
    const link = /^id=(\d+) .* cmd=ping .* resp=3/m.exec(list)?.[1]
    expect(link, list).toBeDefined()
    attacker.say(...spoken('CLIENT', 'TRACKING', 'ON', 'REDIRECT', link!, 'BCAST'))
    await attacker.hear('-ERR The client ID you want redirect to does not exist')
    await using teller = await RedisConnection.open(database.master.address)
    await teller.call('client', 'tracking', 'on', 'redirect', link!, 'bcast')
    for (let round = 0; round < 20; round++) {
      await onMaster('set', 'a', String(round))
      one.say(...spoken('ECHO', 'one'))
      other.say(...spoken('ECHO', 'other'))
      await one.hear('$3', 'one')
      await other.hear('$5', 'other')
    }
    expect([one.heard, other.heard]).toEqual(['', ''])
  })

  it('are told that the shard is busy, when that has begun before they shared anything', async () => {
    await onMaster('config', 'set', 'busy-reply-threshold', '10')
    const [first, busy, killing] = [raw(), raw(), raw()]
    for (const client of [first, killing]) {
      client.say('ECHO a')
      await client.hear('$1', 'a')
    }
    busy.say('EVAL "while true do end" 0')
    await expect.poll(() => onMaster('get', 'a').catch((error: Error) => error.message), waiting).toMatch(/^BUSY/)
    for (let round = 0; round < 3; round++) {
      first.say(...spoken('GET', 'a'))
      await expect.poll(() => first.heard, waiting).toMatch(/^-BUSY .*\r\n$/)
      await first.hear(first.heard.slice(0, -2))
    }
    killing.say('SCRIPT KILL')
    await killing.hear('+OK')
    const ended = async () => {
      first.say(...spoken('GET', 'a'))
      await expect.poll(() => first.heard, waiting).toMatch(/\r\n$/)
      const { heard } = first
      await first.hear(heard.slice(0, -2))
      return heard
    }
    await expect.poll(ended, waiting).toBe('$-1\r\n') // the script looks up from time to time only
  })

  it('may ask whether the replicas have what they wrote on it', async () => {
    const client = raw()
    await rides(client)
    client.say(...spoken('SET', 'a', '1'), ...spoken('WAIT', '1', '20000'))
    await client.hear('+OK', ':1')
    database.replica.process.kill('SIGSTOP')
    const other = raw()
    await rides(other)
    other.say(...spoken('SET', 'a', '2'), ...spoken('WAIT', '1', '200'))
    await other.hear('+OK', ':0')
    database.replica.process.kill('SIGCONT')
  })

  it('are left only when they wait for a reply, should the shard die', async () => {
    const [idle, busy] = [raw(), raw()]
    idle.say(...spoken('SET', 'a', '1'))
    await idle.hear('+OK')
    await rides(idle)
    await rides(busy)
    await using replica = await RedisConnection.open(database.replica.address)
    await expect.poll(() => replica.call('get', 'a'), waiting).toBe('1')
    expect(await connections()).toBeLessThanOrEqual(3)
    database.master.process.kill('SIGSTOP')
    busy.say(...spoken('INCR', 'a'))
    await expect.poll(() => database.endpoint.isUnderWay, waiting).toBe(true)
    database.master.process.kill('SIGKILL')
    await expect.poll(() => busy.isClosed, waiting).toBe(true)
    idle.say(...spoken('GET', 'a'))
    await database.endpoint.redirect(database.replica.address)
    await idle.hear('$1', '1')
  })
})

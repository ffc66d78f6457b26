// Clients that leave, half or whole, in the midst of something or not: they hear what they are owed, and nothing of them
// stays.

import { lacking } from '@atoll/testkit/lacking'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, type ProxiedPair, startProxiedPair } from './testing/proxied-pair.ts'

const lacks = lacking('redis-server')
const waiting = { timeout: 20_000, interval: 20 }
const deadlineMs = 5000

describe.skipIf(lacks !== '')(`clients that leave an endpoint (${lacks || 'redis-server'})`, () => {
  let database: ProxiedPair

  beforeEach(async () => {
    database = await startProxiedPair()
  })
  afterEach(() => database.stop())

  const raw = () => database.raw()
  const onMaster = (...command: string[]) => ask(database.master, ...command)
  const half = (bytes: number) => ['*3', '$3', 'SET', '$5', 'large', `$${bytes}`, 'x'.repeat(100_000)]

  it('are left after QUIT, and what they say behind it is not carried out', async () => {
    for (const before of [[], ['MULTI'], ['SUBSCRIBE news'], ['*1', '$4', 'PING', '*1', '$4', 'PING']]) {
      for (const behind of [[], ['SET left 1']]) {
        const client = raw()
        client.say(...before, 'QUIT', ...behind)
        await expect.poll(() => client.isClosed, { timeout: 5000, interval: 20 }).toBe(true)
        expect(client.heard).toMatch(/\+OK\r\n$/)
      }
    }
    expect(await onMaster('get', 'left')).toBeNull()
    const whole = await database.redis()
    await whole.set('a', '1')
    await whole.close()
    await expect.poll(() => database.endpoint.clients, waiting).toBe(0)
  })

  it('are released when they have subscribed, or wait for something', async () => {
    const [listener, pattern, popper] = [raw(), raw(), raw()]
    listener.say('SUBSCRIBE news')
    pattern.say('PSUBSCRIBE n*')
    popper.say('BLPOP jobs 0')
    await expect.poll(() => onMaster('publish', 'news', 'one'), waiting).toBe(2)
    for (const client of [listener, pattern, popper]) client.end()
    await expect.poll(() => database.endpoint.clients, waiting).toBe(0)
    expect(await onMaster('publish', 'news', 'two')).toBe(0)
    expect(await onMaster('pubsub', 'numsub', 'news')).toEqual(['news', 0])
    await expect.poll(async () => String(await onMaster('info', 'clients')), waiting).toContain('blocked_clients:0')
  })

  it('hear all replies when they have said that they say no more', async () => {
    const value = 'v'.repeat(8_000_000)
    await onMaster('set', 'large', value)
    const commands = ['PING', 'GET large', '*2', '$3', 'GET', '$5', 'large', 'INCR n', 'MULTI', 'INCR n', 'EXEC']
    const rounds = [commands, ['*1', '$4', 'PING'], ['*2', '$3', 'GET', '$5', 'large', '*1', '$4', 'PING']]
    const replies = ['+PONG', '$8000000', value, '$8000000', value, ':1', '+OK', '+QUEUED', '*1', ':2']
    const heard = [replies, ['+PONG'], ['$8000000', value, '+PONG']]
    for (const [index, lines] of rounds.entries()) {
      const client = raw()
      client.say(...lines)
      client.end()
      await client.hear(...(heard[index] ?? []))
      await expect.poll(() => client.isClosed, waiting).toBe(true)
      expect(client.heard).toBe('')
    }
  }, 30_000)

  it('do not hold up a handover in the midst of a large command', async () => {
    const [gone, reset] = [raw(), raw()]
    for (const client of [gone, reset]) client.say(...half(50_000_000))
    await expect.poll(() => largestQuery(), waiting).toBeGreaterThan(90_000)
    gone.end()
    reset.close()
    const { gateMs } = await database.endpoint.handOver(database.replica.address, deadlineMs)
    expect(gateMs).toBeLessThan(1000)
    await expect.poll(() => database.endpoint.clients, waiting).toBe(0)
    expect(await ask(database.replica, 'exists', 'large')).toBe(0)
  })

  it('are moved in the midst of a large command when they stay, also in a transaction', async () => {
    const [slow, transaction, other] = [raw(), raw(), raw()]
    slow.say(...half(300_000))
    transaction.say('MULTI', 'INCR n', ...half(300_000))
    await transaction.hear('+OK', '+QUEUED')
    await expect.poll(() => largestQuery(), waiting).toBeGreaterThan(90_000)
    const { gateMs } = await database.endpoint.handOver(database.replica.address, deadlineMs)
    expect(gateMs).toBeLessThan(1000)
    other.say('PING')
    await other.hear('+PONG')
    const rest = 'x'.repeat(300_000 - 100_002)
    slow.say(rest, 'STRLEN large')
    await slow.hear('+OK', ':300000')
    transaction.say(rest, 'EXEC')
    await transaction.hear('+QUEUED', '*2', ':1', '+OK')
    expect(await ask(database.replica, 'strlen', 'large')).toBe(300_000)
  })

  const largestQuery = async () => {
    const list = String(await onMaster('client', 'list'))
    return Math.max(...[...list.matchAll(/ qbuf=(\d+)/g)].map(([, bytes]) => Number(bytes)))
  }
})

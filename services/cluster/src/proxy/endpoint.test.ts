import { lacking } from '@atoll/testkit/lacking'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, type ProxiedPair, startProxiedPair } from './testing/proxied-pair.ts'
import { RawClient } from './testing/raw-client.ts'

const lacks = lacking('redis-server')
const deadlineMs = 5000

describe.skipIf(lacks.length > 0)(`the endpoint of a database (${lacks || 'redis-server'})`, () => {
  let database: ProxiedPair

  beforeEach(async () => {
    database = await startProxiedPair()
  })
  afterEach(() => database.stop())

  const raw = () => database.raw()
  const redis = (RESP: 2 | 3 = 2) => database.redis({ RESP })
  const handOver = () => database.endpoint.handOver(database.replica.address, deadlineMs)
  const onNewMaster = (...command: string[]) => ask(database.replica, ...command)

  it('passes commands and replies of any size', async () => {
    const client = await redis()
    const large = 'x'.repeat(20_000_000)
    await client.set('large', large)
    expect((await client.get('large'))?.length).toBe(large.length)
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => client.incrBy('sum', index)))
    expect(answers.at(-1)).toBe(499_500)
    const lines = raw()
    lines.say('', 'PING', 'ECHO hi', '*0', '*1', '$4', 'PING')
    await lines.hear('+PONG', '$2', 'hi', '+PONG')
  })

  it('loses no write and shows no error while writers write through a handover', async () => {
    let isOver = false
    const write = async (key: string) => {
      const client = await redis()
      let acknowledged = 0
      while (!isOver) acknowledged = await client.incr(key)
      return acknowledged
    }
    const writers = Array.from({ length: 8 }, (_, index) => write(`writer-${index}`))
    const watcher = await redis()
    while (Number(await watcher.get('writer-7')) < 50) await watcher.ping()
    const { gateMs, sessions } = await handOver()
    const after = Number(await watcher.get('writer-7'))
    while (Number(await watcher.get('writer-7')) < after + 50) await watcher.ping()
    isOver = true
    const acknowledged = await Promise.all(writers)
    for (const [index, count] of acknowledged.entries()) {
      expect(await onNewMaster('get', `writer-${index}`)).toBe(String(count))
    }
    expect(sessions).toBe(9)
    expect(gateMs).toBeLessThan(deadlineMs)
  })

  it('carries an open transaction over, and what the connection was told', async () => {
    const client = raw()
    client.say('CLIENT SETNAME somebody', 'SELECT 3', 'MULTI', 'SET a 1', 'INCR a')
    await client.hear('+OK', '+OK', '+OK', '+QUEUED', '+QUEUED')
    await handOver()
    client.say('INCR a', 'EXEC', 'GET a', 'CLIENT GETNAME')
    await client.hear('+QUEUED', '*3', '+OK', ':2', ':3', '$1', '3', '$8', 'somebody')
    expect(await onNewMaster('info', 'keyspace')).toContain('db3:keys=1')
  })

  it('makes a transaction fail whose watched keys it has lost sight of', async () => {
    const client = raw()
    client.say('WATCH a', 'GET a')
    await client.hear('+OK', '$-1')
    await handOver()
    client.say('MULTI', 'SET a 1', 'EXEC', 'WATCH a', 'MULTI', 'SET a 2', 'EXEC')
    await client.hear('+OK', '+QUEUED', '*-1', '+OK', '+OK', '+QUEUED', '*1', '+OK')
  })

  it('gives up a transaction that is too large to carry, in the terms of Redis', async () => {
    const client = raw()
    const value = 'y'.repeat(600_000)
    client.say('MULTI', '*3', '$3', 'SET', '$1', 'a', '$600000', value, '*3', '$3', 'SET', '$1', 'b', '$600000', value)
    await client.hear('+OK', '+QUEUED', '+QUEUED')
    await handOver()
    client.say('EXEC', 'PING')
    await client.hear('-EXECABORT Transaction discarded because of previous errors.', '+PONG')
  })

  it('lets commands that wait go on waiting on the new master', async () => {
    const [waiting, other, counting] = [raw(), raw(), raw()]
    waiting.say('BLPOP jobs 0', 'PING')
    other.say('XREAD BLOCK 0 STREAMS log $')
    counting.say('WAIT 5 0')
    const pusher = await redis()
    await expect.poll(async () => String(await pusher.sendCommand(['INFO', 'clients']))).toMatch(/blocked_clients:3/)
    await handOver()
    await counting.hear(':0')
    await pusher.rPush('jobs', 'one')
    await waiting.hear('*2', '$4', 'jobs', '$3', 'one', '+PONG')
    await pusher.sendCommand(['XADD', 'log', '1-1', 'k', 'v'])
    await other.hear('*1', '*2', '$3', 'log', '*1', '*2', '$3', '1-1', '*2', '$1', 'k', '$1', 'v')
  })

  it.each([2, 3] as const)('keeps subscribers, with RESP%i', async (protocol) => {
    const [listener, speaker] = [await redis(protocol), await redis()]
    const heard: string[] = []
    await listener.subscribe('news', (message) => heard.push(message))
    await listener.pSubscribe('old*', (message) => heard.push(message))
    await speaker.publish('news', 'before')
    await handOver()
    await expect.poll(() => speaker.publish('news', 'after')).toBe(1)
    await speaker.publish('olds', 'pattern')
    await expect.poll(() => heard.at(-1)).toBe('pattern')
    expect([heard[0], new Set(heard)]).toEqual(['before', new Set(['before', 'after', 'pattern'])])
    await listener.unsubscribe('news')
    await listener.pUnsubscribe('old*')
    expect(String(await listener.ping())).toBe('PONG')
  })

  it('tells clients that keep values to trust none of them', async () => {
    const client = raw()
    client.say('HELLO 3')
    await expect.poll(() => client.heard).toMatch(/modules\r\n\*0\r\n$/)
    await client.hear(...client.heard.split('\r\n').slice(0, -1))
    client.say('CLIENT TRACKING ON', 'GET a')
    await client.hear('+OK', '_')
    await handOver()
    await client.hear('>2', '$10', 'invalidate', '_')
    client.say('GET a')
    await client.hear('_')
    await onNewMaster('set', 'a', '1')
    await client.hear('>2', '$10', 'invalidate', '*1', '$1', 'a')
  })

  it('goes on with the old master when the replica cannot take over', async () => {
    const client = await redis()
    await client.set('a', '1')
    database.replica.process.kill('SIGSTOP')
    await expect(database.endpoint.handOver(database.replica.address, 300)).rejects.toThrow(/not answer|not caught up/)
    expect(await client.incr('a')).toBe(2)
    database.replica.process.kill('SIGCONT')
    await handOver()
    expect(await client.incr('a')).toBe(3)
    expect(await onNewMaster('get', 'a')).toBe('3')
  })

  it('reconnects clients that wait for nothing when a shard comes back, and leaves those that wait for a reply', async () => {
    const [idle, busy] = [await redis(), raw()]
    await idle.set('a', '1')
    await expect.poll(() => onNewMaster('get', 'a')).toBe('1') // it has arrived there
    database.master.process.kill('SIGSTOP')
    busy.say('INCR a')
    await expect.poll(() => database.endpoint.isUnderWay).toBe(true)
    database.master.process.kill('SIGKILL')
    await expect.poll(() => busy.isClosed).toBe(true)
    await database.endpoint.redirect(database.replica.address)
    expect(await idle.get('a')).toBe('1')
  })

  it('answers what is no command as the server does, after the commands before it', async () => {
    const sayings = [
      ...['*1\r\n!4\r\noops\r\n', '*-1\r\nPING\r\n', '*-10\r\n*0\r\n\r\nPING\r\n', '*x\r\n', '*3000000000\r\n'],
      ...['*1\r\n$-1\r\n', '*1\r\n$600000000\r\n', '*2\r\n$4\r\nECHO\r\n:1\r\n', 'ECHO "a\r\n', `ECHO 'a'b\r\n`],
      ...['ECHO "a b\\x41"\r\n', `${'y'.repeat(70_000)}`, `*${'1'.repeat(70_000)}`, `*1\r\n$${'1'.repeat(70_000)}`],
      ...['*1\rX$4\rXPINGxx', `*2\r\n$4\r\nECHO\r\n$100000\r\n${'z'.repeat(50_000)}`, '*\0\r\n'],
    ]
    for (const said of sayings) {
      for (const before of ['', '*1\r\n$4\r\nPING\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n']) {
        const [past, through] = [new RawClient(database.master.port), raw()]
        for (const client of [past, through]) client.sayExactly(before + said)
        await settled(past)
        const [heard, closed] = [past.heard, past.isClosed]
        const shown = JSON.stringify((before + said).slice(0, 80))
        await expect
          .poll(() => [through.heard, through.isClosed], { timeout: 5000 })
          .toEqual([heard, closed])
          .catch(() => undefined)
        expect([shown, through.heard, through.isClosed]).toEqual([shown, heard, closed])
        past.close()
        through.close()
      }
    }
  }, 60_000)

  /** A server that says nothing waits for more; one that speaks of the protocol leaves. */
  const settled = async (client: RawClient) => {
    const isSettled = () => client.isClosed || (client.heard !== '' && !client.heard.includes('Protocol'))
    await expect
      .poll(isSettled, { timeout: 700 })
      .toBe(true)
      .catch(() => undefined)
  }

  it('answers what is no RESP with an error and leaves', async () => {
    const client = raw()
    client.say('*1', '!4', 'oops')
    await expect.poll(() => client.isClosed, { timeout: 20_000 }).toBe(true)
    expect(client.heard).toMatch(/^-ERR Protocol error/)
  })
})

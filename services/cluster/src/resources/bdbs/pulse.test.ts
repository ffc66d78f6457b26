// Shards that run and do not answer.

import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { infoOf, RedisConnection } from '../../redis/redis-connection.ts'
import { type DatabasesServer, startDatabases } from '../../testing/databases-server.ts'

const missing = lacking('redis-server')
const host = '127.0.0.1'
const waiting = { timeout: 20_000, interval: 20 }

describe.skipIf(missing !== '')(`a shard that hangs${missing && `, skipped: no ${missing}`}`, () => {
  let server: DatabasesServer
  let uid = 1
  const stopped: number[] = []

  beforeAll(async () => {
    const folder = await tempDir()
    server = await startDatabases({ kind: 'sqlite', folder }, folder, { silenceSeconds: 1.5 })
  })
  afterEach(async () => {
    for (const pid of stopped.splice(0)) wake(pid)
    for (const { uid: left } of server.databases.list()) await server.databases.remove(left)
  })
  afterAll(async () => {
    await server.databases.stopAll()
    await server.close()
  })

  const create = async (asked: object): Promise<number> => {
    const { body } = await server.admin.call('POST', '/v1/bdbs', { name: 'db', port: await freePort(host), ...asked })
    expect(body.status).toBe('active')
    uid = body.uid
    return body.port
  }
  const live = () => server.databases.live(uid)
  const stop = (pid: number) => {
    process.kill(pid, 'SIGSTOP')
    stopped.push(pid)
  }
  const wake = (pid: number) => {
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // it was ended
    }
  }
  const get = async (port: number, key: string) => {
    await using connection = await RedisConnection.open({ host, port })
    return await connection.call('get', key)
  }
  const set = async (port: number, key: string, value: string) => {
    await using connection = await RedisConnection.open({ host, port })
    await connection.call('set', key, value)
    await connection.call('wait', '1', '5000')
  }

  it('is noticed also when it is the process of an endpoint, which is begun anew', async () => {
    const port = await create({})
    await set(port, 'a', '1')
    const { pid } = live().endpoint.proxy
    stop(pid)
    await vi.waitUntil(() => server.told.some((told) => told.startsWith('endpoint_hangs')), waiting)
    await vi.waitUntil(async () => (await get(port, 'a').catch(() => undefined)) === '1', waiting)
    // It takes clients a moment before the manager knows that it does.
    await vi.waitUntil(() => live().endpoint.proxy.pid !== pid, waiting)
  })

  it('is told from a replica that copies everything again by itself, which is noticed', async () => {
    const port = await create({ replication: true })
    await set(port, 'a', '1')
    await new Promise((resolve) => setTimeout(resolve, 1000)) // it was looked at once
    const slave = live().shards.find(({ role }) => role === 'slave')!
    await using connection = await slave.process!.connect()
    await connection.call('replicaof', 'no', 'one')
    await connection.call('set', 'beside', '1')
    await connection.call('replicaof', host, String(live().master.port))
    await vi.waitUntil(() => server.told.some((told) => told.startsWith('replica_copies_again')), waiting)
    await vi.waitUntil(() => slave.isSynced, waiting)
    expect(await get(port, 'a')).toBe('1')
  })

  it('is ended, and its replica takes over with everything that was acknowledged; it never wakes up as a second master', async () => {
    const port = await create({ replication: true })
    await set(port, 'a', '1')
    const { master } = live()
    const { pid } = master.process!
    const replica = live().shards.find((shard) => shard !== master)!
    stop(pid)
    await vi.waitUntil(() => live().master === replica, waiting)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await vi.waitUntil(async () => (await get(port, 'a').catch(() => null)) === '1', waiting)
    await set(port, 'b', '2')
    await vi.waitUntil(async () => master.isSynced && (await master.process?.isRunning()), waiting)
    await using old = await master.process!.connect()
    expect((await infoOf(old, 'replication')).role).toBe('slave')
    expect(await old.call('mget', 'a', 'b')).toEqual(['1', '2'])
    expect(server.told).toContain(`shard_hangs: Shard ${master.uid} did not answer any more and was ended.`)
  })

  it('is started again from its file when it has no replica', async () => {
    const port = await create({ data_persistence: 'aof' })
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('set', 'a', '1')
    }
    const { pid } = live().master.process!
    stop(pid)
    await vi.waitUntil(async () => live().master.process?.pid !== pid && (await get(port, 'a')) === '1', waiting)
  })

  it('is made anew when it is a replica', async () => {
    const port = await create({ replication: true })
    await set(port, 'a', '1')
    const replica = live().shards.find(({ role }) => role === 'slave')!
    const { pid } = replica.process!
    stop(pid)
    await vi.waitUntil(() => replica.isSynced && replica.process !== undefined && replica.process.pid !== pid, waiting)
    expect(await get(port, 'a')).toBe('1')
  })

  it('is left alone when nobody else has its data, and goes on when it wakes up', async () => {
    const port = await create({})
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('set', 'a', '1')
    }
    const shard = live().master
    const { pid } = shard.process!
    stop(pid)
    await vi.waitUntil(() => server.told.some((line) => line.includes(`Shard ${shard.uid} does not answer`)), waiting)
    wake(pid)
    expect(await get(port, 'a')).toBe('1')
    expect(shard.process!.pid).toBe(pid)
  })

  it('is none that only takes its time for a command', async () => {
    const port = await create({ replication: true })
    await set(port, 'a', '1')
    const { pid } = live().master.process!
    await using connection = await RedisConnection.open({ host, port })
    const script = 'local count = 0 for turn = 1, 1.5e8 do count = count + 1 end return 1'
    expect(await connection.callWithin(50_000, 'eval', script, '0')).toBe(1)
    expect(live().master.process!.pid).toBe(pid)
    expect(await live().master.process!.isRunning()).toBe(true)
  }, 60_000)
})

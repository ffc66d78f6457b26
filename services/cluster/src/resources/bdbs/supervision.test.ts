// What has died comes back, and nothing that was acknowledged is lost.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { RedisConnection } from '../../redis/redis-connection.ts'
import { Caller } from '../../testing/caller.ts'
import { type DatabasesServer, startDatabases } from '../../testing/databases-server.ts'
import { Supervision } from './supervision.ts'

const missing = lacking('redis-server')
const host = '127.0.0.1'
const waiting = { timeout: 20_000, interval: 20 }

describe.skipIf(missing !== '')(`databases that lose a process${missing && `, skipped: no ${missing}`}`, () => {
  let server: DatabasesServer
  /** One for all tests that do not end it. */
  let shared: DatabasesServer | undefined
  let own: DatabasesServer | undefined
  let uid = 1

  const start = async (): Promise<void> => {
    const folder = await tempDir()
    shared ??= await startDatabases({ kind: 'sqlite', folder }, folder)
    server = shared
  }

  const startOwn = async (folder: string): Promise<void> => {
    own = await startDatabases({ kind: 'sqlite', folder }, folder)
    server = own
  }

  const stop = async (running: DatabasesServer | undefined): Promise<void> => {
    await running?.databases.stopAll()
    await running?.close()
  }

  afterEach(async () => {
    await stop(own)
    own = undefined
    for (const { uid: left } of shared?.databases.list() ?? []) await shared?.databases.remove(left)
  })

  afterAll(() => stop(shared))

  const create = async (asked: object) => {
    const { body } = await server.admin.call('POST', '/v1/bdbs', { name: 'db', port: await freePort(host), ...asked })
    expect(body.status).toBe('active')
    uid = body.uid
    return body as { uid: number; port: number }
  }

  const shards = () => server.databases.shardsOf(uid)
  const master = () => server.databases.live(uid).master
  const rolesOf = async (): Promise<string[]> => {
    const { body } = await server.admin.call('GET', `/v1/bdbs/${uid}/shards`)
    return body.map((shard: { redis_info: { role: string }; sync: { status: string } }) => {
      return `${shard.redis_info.role} ${shard.sync.status}`
    })
  }

  /** A client that writes one number after the other, and opens a new connection when the old one ends. */
  const writer = (port: number) => {
    const acknowledged: number[] = []
    let isStopped = false
    const run = async () => {
      let next = 0
      while (!isStopped) {
        try {
          await using connection = await RedisConnection.open({ host, port })
          while (!isStopped) {
            const value = next++
            await connection.call('rpush', 'list', String(value))
            acknowledged.push(value)
          }
        } catch {
          await delay(10)
        }
      }
    }
    const running = run()
    return {
      acknowledged,
      stop: async () => {
        isStopped = true
        await running
      },
    }
  }

  const stored = async (port: number): Promise<string[]> => {
    await using connection = await RedisConnection.open({ host, port })
    return (await connection.call('lrange', 'list', '0', '-1')) as string[]
  }

  it('have a shard again that crashed, with its data', async () => {
    await start()
    const { port } = await create({ data_persistence: 'aof', aof_policy: 'appendfsync-always' })
    const load = writer(port)
    await vi.waitUntil(() => load.acknowledged.length > 50, waiting)
    const { pid } = master().process!
    process.kill(pid, 'SIGKILL')
    const before = load.acknowledged.length
    await vi.waitUntil(() => load.acknowledged.length > before + 100, waiting)
    await load.stop()
    expect(master().process!.pid).not.toBe(pid)
    const kept = new Set(await stored(port))
    expect(load.acknowledged.filter((value) => !kept.has(String(value)))).toEqual([])
    expect(server.told).toContain(`shard_restarted: Shard ${master().uid} was started again.`)
  })

  it('go on with the replica when the master crashed: what it had told the replica is there', async () => {
    await start()
    const { port } = await create({ replication: true })
    const load = writer(port)
    for (const round of [1, 2]) {
      await vi.waitUntil(() => load.acknowledged.length > 200 * round, waiting)
      const [old, other] = [master(), shards().find(({ role }) => role === 'slave')!]
      process.kill(old.process!.pid, 'SIGKILL')
      const before = load.acknowledged.length
      await vi.waitUntil(() => load.acknowledged.length > before + 200, waiting)
      expect(master().uid).toBe(other.uid)
      await vi.waitUntil(async () => old.isSynced && (await old.process?.isRunning()), waiting)
    }
    await load.stop()
    const kept = await stored(port)
    expect(load.acknowledged.filter((value) => !kept.includes(String(value)))).toEqual([])
    expect(new Set(kept).size).toBe(kept.length)
    expect((await rolesOf()).sort()).toEqual(['master idle', 'slave idle'])
  })

  it('have a replica again that crashed, and a proxy, on the same port', async () => {
    await start()
    const { port } = await create({ replication: true })
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('set', 'a', '1')
    }
    const replica = shards().find(({ role }) => role === 'slave')!
    const [shardPid, proxyPid] = [replica.process!.pid, server.databases.endpoint(uid).pid]
    process.kill(shardPid, 'SIGKILL')
    process.kill(proxyPid, 'SIGKILL')
    const answers = async () => {
      await using connection = await RedisConnection.open({ host, port })
      return (await connection.call('get', 'a')) === '1'
    }
    await vi.waitUntil(() => answers().catch(() => false), waiting)
    await vi.waitUntil(() => server.databases.endpoint(uid).pid !== proxyPid, waiting)
    await vi.waitUntil(
      () => replica.process !== undefined && replica.process.pid !== shardPid && replica.isSynced,
      waiting,
    )
    await using connection = await replica.process!.connect()
    expect(await connection.call('get', 'a')).toBe('1')
  })

  it('come back whole when all of their processes are killed at once', async () => {
    await start()
    // With any other policy the server holds writes to its file back while the disk is slow, and acknowledges them.
    const aof_policy = 'appendfsync-always'
    const { port } = await create({ replication: true, data_persistence: 'aof', aof_policy })
    const load = writer(port)
    await vi.waitUntil(() => load.acknowledged.length > 50, waiting)
    const pids = [...shards().map(({ process: shard }) => shard!.pid), server.databases.endpoint(uid).pid]
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    const before = load.acknowledged.length
    await vi.waitUntil(() => load.acknowledged.length > before + 50, waiting)
    await load.stop()
    const kept = new Set(await stored(port))
    expect(load.acknowledged.filter((value) => !kept.has(String(value)))).toEqual([])
    await vi.waitUntil(() => shards().every(({ role, isSynced }) => role === 'master' || isSynced), waiting)
  })

  it('are left alone while an action has them, and looked after when it lets go', async () => {
    await start()
    await create({})
    const held = await server.databases.hold(uid)
    const { process: shard } = master()
    process.kill(shard!.pid, 'SIGKILL')
    await new Promise<void>((resolve) => shard!.onExit(resolve))
    await delay(100)
    expect(master().process).toBe(shard)
    expect(await held.revive()).toBe(true)
    expect(await held.revive()).toBe(false)
    process.kill(master().process!.pid, 'SIGKILL')
    held[Symbol.dispose]()
    await vi.waitUntil(() => master().process !== shard && master().process?.isRunning(), waiting)
  })

  it('go on, and are found again, when Atoll itself is killed', async () => {
    const folder = await tempDir()
    const { child, admin } = await startProcess(folder)
    const port = await freePort(host)
    const asked = { name: 'db', port, replication: true }
    const made = await admin.call('POST', '/v1/bdbs', asked)
    expect(made.status).toBe(200)
    uid = made.body.uid
    const load = writer(port)
    await vi.waitUntil(() => load.acknowledged.length > 20, waiting)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const before = load.acknowledged.length
    await vi.waitUntil(() => load.acknowledged.length > before + 100, waiting)
    await startOwn(folder)
    const pids = shards().map(({ process: shard }) => shard?.pid)
    expect(pids).not.toContain(undefined)
    expect(server.told).toEqual([])
    process.kill(master().process!.pid, 'SIGKILL')
    const later = load.acknowledged.length
    await vi.waitUntil(() => load.acknowledged.length > later + 100, waiting)
    await load.stop()
    const kept = new Set(await stored(port))
    expect(load.acknowledged.filter((value) => !kept.has(String(value)))).toEqual([])
  }, 90_000)

  it('are put right at the start when their master died while Atoll was away', async () => {
    const folder = await tempDir()
    await startOwn(folder)
    const { port } = await create({ replication: true })
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('rpush', 'list', 'kept')
    }
    const [old] = shards()
    await server.close()
    process.kill(old!.process!.pid, 'SIGKILL')
    await startOwn(folder)
    await vi.waitUntil(
      () => shards().every(({ role, isSynced }) => role === 'master' || isSynced) && master().uid !== old!.uid,
      waiting,
    )
    expect(await stored(port)).toEqual(['kept'])
  })

  it('that were promoted without a record of it stay the master', async () => {
    const folder = await tempDir()
    await startOwn(folder)
    const { port } = await create({ replication: true })
    const [first, second] = shards()
    // The handover itself, and then nothing more: as if Atoll had been killed there.
    await server.databases.endpoint(uid).handOver(second!.process!.address, 5000)
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('rpush', 'list', 'after')
    }
    await server.close()
    await startOwn(folder)
    await vi.waitUntil(() => master().uid === second!.uid, waiting)
    const replica = await shards()
      .find(({ uid }) => uid === first!.uid)!
      .process!.connect()
    await vi.waitUntil(async () => (await replica.call('llen', 'list')) === 1, waiting)
    replica.close()
    expect(await stored(port)).toEqual(['after'])
  })

  it('go on with the last master when the endpoint has missed that it took over', async () => {
    await start()
    const { port } = await create({ replication: true, data_persistence: 'aof' })
    const held = await server.databases.hold(uid)
    const [last, before] = [master(), shards().find(({ role }) => role === 'slave')!]
    process.kill(before.process!.pid, 'SIGKILL')
    await vi.waitUntil(async () => !(await before.process!.isRunning()), waiting)
    before.isSynced = false
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('rpush', 'list', 'only there')
    }
    await server.databases.endpoint(uid).redirect(before.process!.address)
    process.kill(last.process!.pid, 'SIGKILL')
    await vi.waitUntil(async () => !(await last.process!.isRunning()), waiting)
    await held.revive()
    held[Symbol.dispose]()
    expect(master().uid).toBe(last.uid)
    expect(await stored(port)).toEqual(['only there'])
  })

  it('are found again when they run and were silent at the start, even when the master has died', async () => {
    const folder = await tempDir()
    await startOwn(folder)
    const { port } = await create({ replication: true })
    {
      await using connection = await RedisConnection.open({ host, port })
      await connection.call('rpush', 'list', 'kept')
      await connection.call('wait', '1', '20000')
    }
    const [dead, silent] = [master(), shards().find(({ role }) => role === 'slave')!]
    const { pid } = silent.process!
    await server.close()
    process.kill(dead.process!.pid, 'SIGKILL')
    process.kill(pid, 'SIGSTOP')
    await startOwn(folder)
    expect(shards().map(({ process: shard }) => shard?.pid)).toEqual([undefined, undefined])
    process.kill(pid, 'SIGCONT')
    await vi.waitUntil(() => master().uid === silent.uid && master().process?.pid === pid, waiting)
    await vi.waitUntil(async () => (await stored(port).catch(() => [])).join() === 'kept', waiting)
  }, 60_000)

  async function startProcess(folder: string): Promise<{ child: ChildProcess; admin: Caller }> {
    const child = fork(join(import.meta.dirname, '../../testing/databases-process.ts'), [folder])
    const [url] = (await once(child, 'message')) as [string]
    return { child, admin: Caller.basic(url, 'admin@cluster.test', 'first-admin-password') }
  }
})

describe('supervision', () => {
  it('comes later and later while it does not help, and at once again afterwards', async () => {
    const at: number[] = []
    let helps = false
    const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
    const supervision = new Supervision(async () => {
      at.push(performance.now())
      if (!helps) throw new Error('no')
    }, log)
    supervision.look(1)
    supervision.look(1)
    await vi.waitUntil(() => at.length === 4, waiting)
    helps = true
    await vi.waitUntil(() => at.length === 5, waiting)
    const pauses = at.slice(1).map((time, index) => time - at[index]!)
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(100 * 2 ** index - 10)
    supervision.stop()
  })
})

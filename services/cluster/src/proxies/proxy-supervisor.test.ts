import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeCommand } from '../proxy/resp/request-scanner.ts'
import { findEngines } from '../redis/engines.ts'
import { RedisConnection } from '../redis/redis-connection.ts'
import { awaitSynced } from '../redis/replication.ts'
import { ShardProcess } from '../redis/shard-process.ts'
import { ProxyControl, type ProxySpec } from './proxy-supervisor.ts'

const missing = lacking('redis-server')
const host = '127.0.0.1'
const adminPassword = 'secret'
const waiting = { timeout: 10_000, interval: 10 }

describe.skipIf(missing !== '')(`the process of an endpoint${missing && `, skipped: no ${missing}`}`, () => {
  const closing: (() => unknown)[] = []

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  const shard = async (master?: ShardProcess): Promise<ShardProcess> => {
    const [engine] = await findEngines({ programs: {} })
    const started = await ShardProcess.start({
      ...{ uid: '1', bdbUid: 1, folder: join(await tempDir(), 'shard'), engine: engine!, port: await freePort(host) },
      ...{ modules: [], persistence: 'disabled', aofPolicy: 'appendfsync-every-sec', snapshotPolicy: [] },
      ...{ memoryBytes: 0, evictionPolicy: 'noeviction', adminPassword },
      ...(master === undefined ? {} : { replicaOf: { host, port: master.spec.port } }),
    })
    closing.push(() => started.stop({ kill: true }))
    if (master !== undefined) await awaitSynced(started, master)
    return started
  }

  const proxy = async (target: ShardProcess, changes: Partial<ProxySpec> = {}): Promise<ProxyControl> => {
    const control = await ProxyControl.start({
      folder: join(await tempDir(), 'endpoint'),
      listen: { host, port: await freePort(host) },
      target: target.address,
      credentials: { username: 'atoll', password: adminPassword },
      maxClients: 100,
      ...changes,
    })
    closing.push(() => control.stop())
    return control
  }

  const client = async ({ spec }: ProxyControl): Promise<Socket & { heard(): string; isOver(): boolean }> => {
    let text = ''
    let isOver = false
    const socket = connect(spec.listen)
    closing.push(() => socket.destroy())
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => (isOver = true))
    await new Promise<void>((resolve) => socket.on('connect', resolve))
    return Object.assign(socket, { heard: () => text, isOver: () => isOver })
  }

  /** In two parts, with a value that is too large to be collected. */
  const longSet = (value: string): [Buffer, Buffer] => {
    const bytes = encodeCommand(['set', 'large', value])
    return [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
  }

  it('is started, told where to go, found again and stopped', async () => {
    const [one, other] = [await shard(), await shard()]
    const control = await proxy(one)
    const seen = await client(control)
    seen.write(encodeCommand(['set', 'a', 'one']))
    await vi.waitUntil(() => seen.heard() === '+OK\r\n', waiting)
    expect(await control.status()).toMatchObject({ pid: control.pid, clients: 1, target: one.address })
    await control.redirect(other.address)
    seen.write(encodeCommand(['get', 'a']))
    await vi.waitUntil(() => seen.heard() === '+OK\r\n$-1\r\n', waiting)
    control.release()
    const again = await ProxyControl.adopt(control.spec)
    expect(again?.pid).toBe(control.pid)
    expect((await again!.status()).target).toEqual(other.address)
    const elsewhere = { ...control.spec, listen: { host, port: 1 } }
    expect(await ProxyControl.adopt(elsewhere)).toBeUndefined()
    const over = new Promise<void>((resolve) => again!.onExit(resolve))
    await again!.stop()
    await over
    expect(await ProxyControl.adopt(control.spec)).toBeUndefined()
  })

  it('says why it cannot be started', async () => {
    const one = await shard()
    const control = await proxy(one)
    await expect(proxy(one, { listen: control.spec.listen })).rejects.toThrow('EADDRINUSE')
  })

  it('hands over to a replica, and says so when there is none', async () => {
    const master = await shard()
    const replica = await shard(master)
    const control = await proxy(master)
    const seen = await client(control)
    seen.write(encodeCommand(['set', 'a', '1']))
    const report = await control.handOver(replica.address, 5000)
    expect(report.gateMs).toBeGreaterThan(0)
    expect((await control.status()).target).toEqual(replica.address)
    seen.write(encodeCommand(['incr', 'a']))
    await vi.waitUntil(() => seen.heard() === '+OK\r\n:2\r\n', waiting)
    // Long enough for a shard that has much beside it to be asked.
    await expect(control.handOver((await shard()).address, 2_000)).rejects.toThrow('not caught up')
    seen.write(encodeCommand(['incr', 'a']))
    await vi.waitUntil(() => seen.heard().endsWith(':3\r\n'), waiting)
  })

  it('hands over in the midst of a long command, which comes to its end on the new master', async () => {
    const master = await shard()
    const replica = await shard(master)
    const control = await proxy(master)
    const seen = await client(control)
    const [first, second] = longSet('x'.repeat(4_000_000))
    seen.write(first)
    await vi.waitUntil(async () => receivedBy(await clientsOf(master)) > 500_000, waiting)
    await control.handOver(replica.address, 5000)
    seen.write(second)
    await vi.waitUntil(() => seen.heard() === '+OK\r\n', waiting)
    await using connection = await RedisConnection.open(replica.address, { username: 'atoll', password: adminPassword })
    expect(await connection.call('strlen', 'large')).toBe(4_000_000)
  })

  it('never sends the rest of a command to another shard without its beginning', async () => {
    const [one, other] = [await shard(), await shard()]
    const control = await proxy(one)
    const seen = await client(control)
    const injected = encodeCommand(['set', 'injected', 'yes']).toString()
    const [first, second] = longSet(`${'x'.repeat(2_000_000)}${injected.repeat(10_000)}`)
    seen.write(first)
    await vi.waitUntil(async () => receivedBy(await clientsOf(one)) > 500_000, waiting)
    await one.stop({ kill: true })
    await control.redirect(other.address)
    seen.write(second)
    await vi.waitUntil(() => seen.heard() === '+OK\r\n', waiting)
    await using connection = await RedisConnection.open(other.address, { username: 'atoll', password: adminPassword })
    expect(await connection.call('exists', 'injected')).toBe(0)
    expect(await connection.call('strlen', 'large')).toBe(2_000_000 + 10_000 * injected.length)
  })

  it('ends connections that wait for an answer which cannot come any more', async () => {
    const [one, other] = [await shard(), await shard()]
    const control = await proxy(one)
    const seen = await client(control)
    // The second goes the way that the third will go: through the connection that clients share.
    for (const heard of ['+OK\r\n', '+OK\r\n+OK\r\n']) {
      seen.write(encodeCommand(['set', 'a', '1']))
      await vi.waitUntil(() => seen.heard() === heard, waiting)
    }
    // It takes the command, and does not answer.
    process.kill(one.pid, 'SIGSTOP')
    seen.write(encodeCommand(['incr', 'a']))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await control.redirect(other.address)
    await vi.waitUntil(() => seen.isOver(), waiting)
  })

  const receivedBy = (clients: string): number =>
    Math.max(...[...clients.matchAll(/qbuf=(\d+)/g)].map(([, bytes]) => Number(bytes)))

  const clientsOf = async (of: ShardProcess): Promise<string> => {
    await using connection = await of.connect()
    return String(await connection.call('client', 'list'))
  }
})

import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describeBothTargets, sqliteTarget } from '@atoll/testkit/both-targets'
import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { processesIn } from '../../redis/processes.ts'
import { RedisConnection } from '../../redis/redis-connection.ts'
import { type DatabasesServer, startDatabases } from '../../testing/databases-server.ts'
import { buildTally, type NativeModule, packModule } from '../../testing/native-modules.ts'

const missing = lacking('redis-server', 'cc')
const host = '127.0.0.1'

/** One that has ended and waits to be reaped, which is not Atoll's to do, no longer runs. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

describe.skipIf(missing !== '')(`databases${missing && `, skipped: no ${missing}`}`, () => {
  let tally1: NativeModule
  let folder: string
  let server: DatabasesServer
  let isOpen = false

  beforeAll(async () => {
    tally1 = await buildTally(1)
  })

  const start = async (target = sqliteTarget): Promise<DatabasesServer> => {
    const where = await target()
    folder = where.kind === 'sqlite' ? where.folder : await tempDir()
    server = await startDatabases(where, folder)
    isOpen = true
    return server
  }

  afterEach(async () => {
    if (!isOpen) return
    isOpen = false
    await server.databases.stopAll()
    await server.close()
  })

  const create = async (asked: object = {}) => {
    const port = await freePort(host)
    const answer = await server.admin.call('POST', '/v1/bdbs', { name: 'orders', port, ...asked })
    expect(answer.body).toMatchObject({ name: expect.any(String), status: 'active' })
    return answer.body
  }

  const client = ({ port }: { port: number }, password?: string) =>
    RedisConnection.open({ host, port }, password === undefined ? undefined : { username: 'default', password })

  const upload = async () => {
    const answer = await server.admin.upload('/v2/modules', new Uint8Array(await packModule(tally1)))
    expect(answer.status).toBe(200)
    return answer.body.uid as string
  }

  describeBothTargets('over HTTP', (target) => {
    it('are made, read, changed and deleted with everything of theirs', async () => {
      await start(target)
      const made = await create({
        replication: true,
        data_persistence: 'aof',
        authentication_redis_pass: 'open sesame',
      })
      expect(made).toMatchObject({
        ...{ uid: 1, name: 'orders', status: 'active', engine: 'redis', replication: true, data_persistence: 'aof' },
        ...{ shard_list: [1, 2], shards_count: 1, background_op: [{ status: 'idle' }] },
        endpoints: [{ uid: '1:1', addr: [host], port: made.port }],
      })
      expect(JSON.stringify(made)).not.toContain('sesame')
      await expect(client(made)).rejects.toThrow('NOAUTH')
      const connection = await client(made, 'open sesame')
      expect(await connection.call('set', 'a', '1')).toBe('OK')
      const shards = (await server.admin.call('GET', '/v1/bdbs/1/shards')).body
      expect(shards).toMatchObject([
        { uid: '1', role: 'master', status: 'active', detailed_status: 'ok' },
        { uid: '2', role: 'slave', redis_info: { role: 'slave', master_link_status: 'up' } },
      ])
      expect((await server.admin.call('GET', '/v1/shards')).body).toHaveLength(2)
      expect((await server.admin.call('GET', '/v1/shards/2')).body).toMatchObject({ uid: '2', bdb_uid: 1 })
      expect((await server.admin.call('GET', '/v1/endpoints')).body).toMatchObject([
        { bdb_uid: 1, port: made.port, clients: 1 },
      ])
      connection.close()
      const change = { name: 'renamed', memory_size: 2 ** 26, replication: false, authentication_redis_pass: '' }
      const changed = await server.admin.call('PUT', '/v1/bdbs/1', change)
      expect(changed).toMatchObject({
        status: 200,
        body: { name: 'renamed', memory_size: 2 ** 26, replication: false, shard_list: [1], data_persistence: 'aof' },
      })
      expect((await server.admin.call('GET', '/v1/bdbs')).body).toEqual([changed.body])
      const another = await client(made)
      expect(await another.call('get', 'a')).toBe('1')
      another.close()
      const left = server.databases.shardsOf(1).map(({ process }) => process!.pid)
      expect(await server.admin.call('DELETE', '/v1/bdbs/1')).toMatchObject({ status: 200 })
      expect((await server.admin.call('GET', '/v1/bdbs/1')).status).toBe(404)
      expect(left.filter(isRunning)).toEqual([])
      expect(readdirSync(join(folder, 'cluster/shards'))).toEqual([])
      expect(readdirSync(join(folder, 'cluster/endpoints'))).toEqual([])
      expect((await create()).uid).toBe(2)
    })
  })

  it('MOD-035 MOD-036 are refused with what is wrong, and nothing is left of them', async () => {
    await start()
    const made = await create()
    const refused = async (asked: object) => {
      const { status, body } = await server.admin.call('POST', '/v1/bdbs', { name: 'other', ...asked })
      return `${status} ${body.message}`
    }
    expect(await refused({ name: 'orders' })).toMatch(/^409 .*orders/)
    expect(await refused({ port: made.port })).toMatch(/^409 Port/)
    expect(await refused({ name: '-x' })).toMatch(/^400 .*name/)
    expect(await refused({ name: undefined })).toMatch(/^400 Missing parameter: name/)
    expect(await refused({ memory_size: 1000 })).toMatch(/^400 .*memory_size/)
    expect(await refused({ memory_size: 2 ** 52 })).toMatch(/^400 .*memory_size/)
    expect(await refused({ memory_sizes: 1 })).toMatch(
      /^400 Unknown field: memory_sizes \(did you mean memory_size\?\)/,
    )
    expect(await refused({ shards_count: 2 })).toMatch(/^400 .*shards_count/)
    expect(await refused({ redis_version: '99.1' })).toMatch(/^400 There is no engine 99.1/)
    expect(await refused({ module_list: [{}] })).toMatch(/^400 module_list\[0\]/)
    expect(await refused({ module_list: [{ module_name: 'none' }] })).toMatch(
      /^406 module_list\[0\]: there is no module/,
    )
    expect(await refused({ port: 80 })).toBe("400 Invalid 'port': expected >= 1024, but got 80.")
    expect((await server.admin.call('POST', '/v1/bdbs', [])).body.message).toBe(
      'Invalid body: expected an object, got an empty array.',
    )
    const { status, body } = await server.admin.call('GET', '/v1/bdbs/x')
    expect(`${status} ${body.message}`).toBe('400 Invalid uid: expected an integer, got no number.')
    expect((await server.admin.call('PUT', '/v1/bdbs/1', { port: 1 })).body.message).toMatch('Unknown field: port')
    expect((await server.admin.call('PUT', '/v1/bdbs/7', {})).status).toBe(404)
    expect((await server.admin.call('GET', '/v1/bdbs')).body).toHaveLength(1)
  })

  it("have modules with arguments; those that a module refuses are told in the server's words", async () => {
    await start()
    const uid = await upload()
    const bad = await server.admin.call('POST', '/v1/bdbs', {
      name: 'bad',
      module_list: [{ module_name: 'tally', module_args: 'LIMIT many' }],
    })
    expect(bad).toMatchObject({ status: 406, body: { message: expect.stringContaining('LIMIT needs a number') } })
    expect((await server.admin.call('GET', '/v1/bdbs')).body).toEqual([])
    expect(readdirSync(join(folder, 'cluster/shards'))).toEqual([])
    const made = await create({ module_list: [{ module_id: uid, module_args: ['LIMIT', '3'] }] })
    expect(made.module_list).toEqual([
      { module_id: uid, module_name: 'tally', semantic_version: '1.0.0', module_args: 'LIMIT 3' },
    ])
    await using connection = await client(made)
    expect(await connection.call('tally.add', 'k', 'm', '4')).toBe(4)
    const inUse = await server.admin.call('DELETE', `/v2/modules/${uid}`)
    expect(inUse).toMatchObject({ status: 406, body: { message: expect.stringContaining('orders') } })
  })

  it('speak TLS at their endpoint where that was asked for, and nothing else', async () => {
    await start()
    const made = await create({ tls_mode: 'enabled' })
    expect(made.tls_mode).toBe('enabled')
    const socket = connectTls({ host, port: made.port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    socket.write('SET a 1\r\nGET a\r\nQUIT\r\n')
    const heard: Buffer[] = await socket.toArray()
    expect(Buffer.concat(heard).toString()).toBe('+OK\r\n$1\r\n1\r\n+OK\r\n')
    await expect(client(made)).rejects.toThrow()
  })

  it.skipIf(lacking('valkey-server') !== '')('run on the engine that was asked for', async () => {
    await start()
    const made = await create({ engine: 'valkey', replication: true })
    expect(made).toMatchObject({ engine: 'valkey', redis_version: expect.stringMatching(/^[89]\./) })
    await using connection = await client(made)
    expect(await connection.call('info', 'server')).toContain(`valkey_version:${made.redis_version}`)
    const { status, body } = await server.admin.call('POST', '/v1/bdbs', {
      name: 'x',
      engine: 'redis',
      redis_version: '8',
    })
    expect(`${status} ${body.message}`).toMatch(/^400 There is no engine redis 8 on this node. There is: redis 7/)
  })

  it('get another port when somebody takes theirs while they are made, unless they asked for that one', async () => {
    await start()
    for (const asked of [{}, { port: await freePort(host) }]) {
      const making = server.admin.call('POST', '/v1/bdbs', { name: 'raced', ...asked })
      await expect.poll(() => server.databases.list().length, { interval: 1, timeout: 20_000 }).toBe(1)
      const { port } = server.databases.list()[0]!
      const other = createServer().listen(port, host)
      await once(other, 'listening')
      const { status, body } = await making
      if ('port' in asked) expect([status, body.error_code]).toEqual([409, 'port_unavailable'])
      else {
        expect([status, body.port === port], JSON.stringify(body)).toEqual([200, false])
        await server.databases.remove(body.uid)
      }
      other.close()
    }
    expect(server.databases.list()).toEqual([])
  }, 60_000)

  it('cannot be changed while an action has them', async () => {
    await start()
    await create()
    const held = await server.databases.hold(1)
    expect((await server.admin.call('PUT', '/v1/bdbs/1', { memory_size: 0 })).status).toBe(409)
    expect((await server.admin.call('DELETE', '/v1/bdbs/1')).status).toBe(409)
    await expect(server.databases.hold(1)).rejects.toThrow('being changed')
    held[Symbol.dispose]()
    expect((await server.admin.call('PUT', '/v1/bdbs/1', { memory_size: 0 })).status).toBe(200)
  })

  it('are undone at the next start when Atoll ended while they were made', async () => {
    await start()
    await create()
    await server.databases.setStatus(1, 'pending')
    const place = join(folder, 'cluster/shards/1')
    expect(await processesIn(place)).toHaveLength(1)
    await server.close()
    server = await startDatabases({ kind: 'sqlite', folder }, folder)
    expect((await server.admin.call('GET', '/v1/bdbs')).body).toEqual([])
    expect(existsSync(place)).toBe(false)
    expect(await processesIn(place)).toEqual([])
  })
})

// What an upgrade does with a database, one thing at a time.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RedisConnection } from '../../redis/redis-connection.ts'
import { type DatabasesServer, startDatabases } from '../../testing/databases-server.ts'
import { buildTally, packModule } from '../../testing/native-modules.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import type { HeldDatabase } from '../../upgrade/ports.ts'

const missing = lacking('redis-server', 'cc')
const host = '127.0.0.1'

describe.skipIf(missing !== '')(`a database in the hands of an action${missing && `, skipped: no ${missing}`}`, () => {
  let server: DatabasesServer
  let folder: string
  const modules: Record<1 | 2, LoadedModule> = {} as never
  let held: HeldDatabase
  let client: RedisConnection

  beforeAll(async () => {
    folder = await tempDir()
    server = await startDatabases({ kind: 'sqlite', folder }, folder)
    for (const major of [1, 2] as const) {
      const module = await buildTally(major)
      const { body } = await server.admin.upload('/v2/modules', new Uint8Array(await packModule(module)))
      modules[major] = {
        ...{ module_id: body.uid, module_name: 'tally', semantic_version: module.semanticVersion, module_args: [] },
      }
    }
  })

  afterAll(async () => {
    await server.databases.stopAll()
    await server.close()
  })

  afterEach(async () => {
    client.close()
    held[Symbol.dispose]()
    await server.databases.remove(held.uid)
  })

  const begin = async (asked: object = {}): Promise<void> => {
    const port = await freePort(host)
    const module_list = [{ module_id: modules[1].module_id }]
    const { body } = await server.admin.call('POST', '/v1/bdbs', { name: 'db', port, module_list, ...asked })
    expect(body.status).toBe('active')
    held = await server.databases.hold(body.uid)
    client = await RedisConnection.open({ host, port })
    for (let index = 0; index < 50; index++) await client.call('tally.add', `k${index}`, 'm', '1')
  }

  const master = async () => (await held.shards()).find(({ role }) => role === 'master')!
  const digestOf = async (shardUid: string) => {
    await using connection = await held.connect(shardUid)
    return await connection.call('debug', 'digest')
  }

  it('is tried with new modules on a copy of its data, and nobody notices', async () => {
    await begin({ data_persistence: 'disabled' })
    const { uid } = await master()
    const copy = join(folder, 'copy.rdb')
    await held.snapshot(uid, copy)
    expect(existsSync(join(folder, 'cluster/shards', uid, 'dump.rdb'))).toBe(false)
    expect(await held.rehearse(copy, [modules[2]])).toBe(50)
    const refused = held.rehearse(copy, [{ ...modules[2], module_args: ['LIMIT', 'none'] }])
    await expect(refused).rejects.toMatchObject({ name: 'ModuleRefused', message: /LIMIT needs a number/ })
    await expect(held.rehearse(copy, [])).rejects.toMatchObject({ name: 'ModuleRefused' })
    expect(await held.shards()).toEqual([{ uid, role: 'master', modules: [modules[1]] }])
    expect(await client.call('tally.get', 'k1', 'm')).toBe(1)
  })

  it('goes over to a replica with new modules, and has one version less afterwards', async () => {
    await begin()
    const old = await master()
    const uid = await server.databases.newShardUid()
    await held.addReplica(uid, [modules[2]])
    await held.addReplica(uid, [modules[2]])
    expect(await digestOf(uid)).toBe(await digestOf(old.uid))
    expect((await held.handOver(uid)).gateMs).toBeGreaterThan(0)
    expect((await held.handOver(uid)).gateMs).toBe(0)
    expect(await client.call('tally.mul', 'k1', 'm', '7')).toBe(7)
    await held.setModules([modules[2]])
    await held.remove(old.uid)
    await held.remove(old.uid)
    expect(await held.shards()).toEqual([{ uid, role: 'master', modules: [modules[2]] }])
    const { body } = await server.admin.call('GET', `/v1/bdbs/${held.uid}`)
    expect(body).toMatchObject({ shard_list: [Number(uid)], module_list: [{ semantic_version: '2.0.0' }] })
    expect(await held.moduleVersion(modules[2].module_id)).toBe(20_000)
  })

  it('rebuilds its old master with the new modules, from nothing', async () => {
    await begin({ replication: true, data_persistence: 'aof' })
    const [one, other] = await held.shards()
    await held.rebuild(other!.uid, [modules[2]])
    await expect(held.rebuild(one!.uid, [modules[2]])).rejects.toThrow('is the master')
    await held.handOver(other!.uid)
    await client.call('tally.mul', 'k1', 'm', '7')
    await held.rebuild(one!.uid, [modules[2]])
    expect(await digestOf(one!.uid)).toBe(await digestOf(other!.uid))
    expect((await held.shards()).map(({ role }) => role)).toEqual(['slave', 'master'])
    await held.handOver(one!.uid)
    expect(await client.call('tally.get', 'k1', 'm')).toBe(7)
  })

  it('keeps its data when the new master is killed before the old one is rebuilt', async () => {
    await begin({ replication: true })
    const [one, other] = await held.shards()
    await held.rebuild(other!.uid, [modules[2]])
    await held.handOver(other!.uid)
    await client.call('tally.add', 'k1', 'm', '41')
    const { process: shard } = server.databases.live(held.uid).shard(other!.uid)
    const over = new Promise<void>((resolve) => shard!.onExit(resolve))
    process.kill(shard!.pid, 'SIGKILL')
    await over
    expect(await held.revive()).toBe(true)
    expect((await master()).uid).toBe(one!.uid)
    await using connection = await held.connect(one!.uid)
    expect(await connection.call('tally.get', 'k1', 'm')).toBe(42)
  })

  it("says in the server's words when a replica cannot read what its master has", async () => {
    await begin({ replication: true })
    const [, other] = await held.shards()
    await held.rebuild(other!.uid, [modules[2]])
    await held.handOver(other!.uid)
    const uid = await server.databases.newShardUid()
    await expect(held.addReplica(uid, [modules[1]])).rejects.toMatchObject({ name: 'ModuleRefused' })
    await held.remove(uid)
  })
})

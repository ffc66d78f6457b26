import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@atoll/testkit/free-port'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildLate, buildTally, type NativeModule } from '../testing/native-modules.ts'
import { type Engine, findEngines } from './engines.ts'
import { identify, isRunning } from './processes.ts'
import { RedisConnection } from './redis-connection.ts'
import { awaitSynced, takeOver } from './replication.ts'
import { type ShardSpec, sha256 } from './shard-config.ts'
import { ShardProcess } from './shard-process.ts'

const missing = lacking('redis-server', 'cc')

describe.skipIf(missing !== '')(`shards${missing && `, skipped: no ${missing}`}`, () => {
  let engine: Engine
  let engines: Engine[]
  let tally1: NativeModule
  let tally2: NativeModule
  const started: ShardProcess[] = []

  beforeAll(async () => {
    engines = await findEngines({ programs: {} })
    engine = engines.find(({ name }) => name === 'redis')!
    tally1 = await buildTally(1)
    tally2 = await buildTally(2)
  })

  afterEach(async () => {
    for (const shard of started.splice(0)) await shard.stop({ kill: true })
  })

  let count = 0
  const specOf = async (changes: Partial<ShardSpec> = {}): Promise<ShardSpec> => ({
    uid: String(++count),
    bdbUid: 1,
    folder: join(await tempDir(), 'shard'),
    engine,
    port: await freePort('127.0.0.1'),
    modules: [],
    persistence: 'disabled',
    aofPolicy: 'appendfsync-every-sec',
    snapshotPolicy: [{ secs: 60, writes: 1000 }],
    memoryBytes: 0,
    evictionPolicy: 'noeviction',
    adminPassword: 'secret "of" the \\ cluster',
    ...changes,
  })

  const start = async (spec: ShardSpec): Promise<ShardProcess> => {
    const shard = await ShardProcess.start(spec)
    started.push(shard)
    return shard
  }

  const ask = async (shard: ShardProcess, ...command: string[]) => {
    await using connection = await shard.connect()
    return await connection.call(...command)
  }

  const ended = (shard: ShardProcess): Promise<void> => new Promise((resolve) => shard.onExit(resolve))

  it('are servers with their modules, arguments, limits and policies', async () => {
    const shard = await start(
      await specOf({
        modules: [{ file: tally1.file, args: ['LIMIT', '2'] }],
        memoryBytes: 10 * 1024 * 1024,
        evictionPolicy: 'allkeys-lru',
        persistence: 'aof',
        aofPolicy: 'appendfsync-always',
      }),
    )
    expect(await ask(shard, 'tally.add', 'k', 'a', '5')).toBe(5)
    expect(await ask(shard, 'tally.add', 'k', 'a', '-2')).toBe(3)
    expect(await ask(shard, 'tally.get', 'k', 'a')).toBe(3)
    expect(await ask(shard, 'tally.get', 'k', 'b')).toBeNull()
    await ask(shard, 'tally.add', 'k', 'b', '1')
    await expect(ask(shard, 'tally.add', 'k', 'c', '1')).rejects.toThrow('as many members')
    await ask(shard, 'set', 'text', 'x')
    await expect(ask(shard, 'tally.add', 'text', 'c', '1')).rejects.toThrow('WRONGTYPE')
    await expect(ask(shard, 'tally.mul', 'k', 'a', '2')).rejects.toThrow('unknown command')
    for (const [name, value] of [
      ['maxmemory', '10485760'],
      ['maxmemory-policy', 'allkeys-lru'],
      ['appendonly', 'yes'],
      ['appendfsync', 'always'],
      ['enable-module-command', 'no'],
    ]) {
      expect(await ask(shard, 'config', 'get', name!)).toEqual([name, value])
    }
  })

  it('refuse to start, in the words of the server, when a module does not take its arguments', async () => {
    const refused = async (args: string[]) =>
      ShardProcess.start(await specOf({ modules: [{ file: tally1.file, args }] }))
    await expect(refused(['COLOUR', 'red'])).rejects.toThrow(/<tally> unknown argument 'COLOUR'.*Can't load module/s)
    await expect(refused(['LIMIT', 'many'])).rejects.toThrow('<tally> LIMIT needs a number above 0')
    await expect(refused(['LIMIT', '-1'])).rejects.toThrow('LIMIT needs a number above 0')
    const missingFile = specOf({ modules: [{ file: '/nowhere/none.so', args: [] }] })
    await expect(ShardProcess.start(await missingFile)).rejects.toThrow('/nowhere/none.so')
  })

  it('MOD-030 of an engine that is too old for a module do not start with it', async () => {
    const late = await buildLate()
    const spec = await specOf({ modules: [{ file: late.file, args: [] }] })
    await expect(ShardProcess.start(spec)).rejects.toThrow('<late> needs an engine of version 7.2 or later')
  })

  it.skipIf(lacking('valkey-server') !== '')('of a newer engine start with a module that needs it', async () => {
    const late = await buildLate()
    const valkey = engines.find(({ name }) => name === 'valkey')!
    const shard = await start(await specOf({ engine: valkey, modules: [{ file: late.file, args: [] }] }))
    expect(await ask(shard, 'late.ping')).toBe('LATE')
  })

  it('keep clients from what belongs to the cluster', async () => {
    const shard = await start(await specOf({ passwordSha256: sha256('for clients') }))
    await expect(RedisConnection.open(shard.address)).rejects.toThrow('NOAUTH')
    await using client = await RedisConnection.open(shard.address, { username: 'default', password: 'for clients' })
    expect(await client.call('set', 'a', '1')).toBe('OK')
    expect(await client.call('module', 'list')).toEqual([])
    expect(await client.call('acl', 'whoami')).toBe('default')
    for (const command of [
      'replicaof no one',
      'failover',
      'shutdown nosave',
      'psync ? -1',
      'debug digest',
      'config get masterauth',
      'config set maxmemory 0',
      'acl list',
      'client pause 1',
      'client reply off',
      'client kill type normal',
      'bgsave',
    ]) {
      await expect(client.call(...command.split(' ')), command).rejects.toThrow('NOPERM')
    }
    await expect(client.call('module', 'load', 'x')).rejects.toThrow('not allowed')
    const written = readFileSync(join(shard.spec.folder, 'shard.conf'), 'utf8')
    expect(written).not.toContain('for clients')
  })

  it('take over new settings while they run', async () => {
    const shard = await start(await specOf())
    const passwordSha256 = sha256('new')
    await shard.apply({ ...shard.spec, memoryBytes: 2 ** 24, persistence: 'snapshot', passwordSha256 })
    expect(await ask(shard, 'config', 'get', 'maxmemory')).toEqual(['maxmemory', String(2 ** 24)])
    expect(await ask(shard, 'config', 'get', 'save')).toEqual(['save', '60 1000'])
    await expect(RedisConnection.open(shard.address)).rejects.toThrow('NOAUTH')
    await shard.apply(shard.spec)
    await using client = await RedisConnection.open(shard.address)
    expect(await client.call('ping')).toBe('PONG')
  })

  it('are found again by who did not start them, and nobody else is taken for them', async () => {
    const shard = await start(await specOf())
    await ask(shard, 'set', 'a', '1')
    shard.release()
    const again = await ShardProcess.adopt(shard.spec)
    expect(again).toMatchObject({ pid: shard.pid, runId: shard.runId })
    expect(await ask(again!, 'get', 'a')).toBe('1')
    expect(await ShardProcess.adopt({ ...shard.spec, adminPassword: 'another' })).toBeUndefined()
    expect(await ShardProcess.adopt(await specOf())).toBeUndefined()
    const over = ended(again!)
    process.kill(shard.pid, 'SIGKILL')
    await over
    expect(await ShardProcess.adopt(shard.spec)).toBeUndefined()
  })

  it('are never there twice: a start ends what an earlier one has left', async () => {
    const shard = await start(await specOf())
    const second = await start(shard.spec)
    expect(second.pid).not.toBe(shard.pid)
    expect(await shard.isRunning()).toBe(false)
  })

  it.each(['aof', 'snapshot'] as const)('have their data again after a stop, with %s', async (persistence) => {
    const shard = await start(await specOf({ persistence, modules: [{ file: tally1.file, args: [] }] }))
    await ask(shard, 'tally.add', 'k', 'a', '42')
    await ask(shard, 'set', 'b', 'text')
    await shard.stop()
    expect(await identify(shard.pid)).toBeUndefined()
    const again = await start({ ...shard.spec, modules: [{ file: tally2.file, args: [] }] })
    expect(await ask(again, 'tally.mul', 'k', 'a', '2')).toBe(84)
    expect(await ask(again, 'get', 'b')).toBe('text')
    if (persistence === 'aof') await ask(again, 'bgrewriteaof')
    await again.stop()
    // What version 2 has written version 1 cannot read.
    await expect(start(shard.spec)).rejects.toThrow()
  })

  it('have the same keys as their master, with the same digests, and stop when their first file is complete', async () => {
    const modules = [{ file: tally1.file, args: [] }]
    const master = await start(await specOf({ modules, persistence: 'aof' }))
    for (let index = 0; index < 200; index++) await ask(master, 'tally.add', `k${index % 7}`, `m${index}`, `${index}`)
    const replicaOf = { host: '127.0.0.1', port: master.spec.port }
    const replica = await start(
      await specOf({ modules: [{ file: tally2.file, args: [] }], persistence: 'aof', replicaOf }),
    )
    await awaitSynced(replica, master)
    const digest = await ask(master, 'debug', 'digest')
    expect(digest).not.toBe('0'.repeat(40))
    expect(await ask(replica, 'debug', 'digest')).toBe(digest)
    await replica.stop()
    expect(await isRunning({ pid: replica.pid, startTime: 'another' })).toBe(false)
    const again = await start({ ...replica.spec })
    await awaitSynced(again, master)
    expect(await ask(again, 'debug', 'digest')).toBe(digest)
  })

  it('have what was written after they were complete, also when their master is killed right after', async () => {
    for (let round = 0; round < 5; round++) {
      const master = await start(await specOf({}))
      const replica = await start(await specOf({ replicaOf: { host: '127.0.0.1', port: master.spec.port } }))
      await awaitSynced(replica, master)
      await ask(master, 'set', 'a', '1')
      await master.stop({ kill: true })
      expect(await takeOver(replica)).toBe(true)
      expect(await ask(replica, 'get', 'a')).toBe('1')
    }
  })
})

import { execFile, spawnSync } from 'node:child_process'
import { chmod, lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTally, packModule } from '../testing/native-modules.ts'
import { connectTo, startWholeCluster, type WholeCluster } from '../testing/whole-cluster.ts'
import { RedisConnection } from './redis-connection.ts'
import { readLogEnd } from './shard-log.ts'
import { findShardUser } from './shard-user.ts'

const isRoot = process.getuid?.() === 0
const missing = lacking('redis-server', 'cc') || (isRoot ? '' : 'root')
const hasNamespaces = spawnSync('unshare', ['-r', 'true']).status === 0
const waiting = { timeout: 20_000, interval: 20 }

describe.skipIf(missing !== '')(`shards of an Atoll that is root (${missing || 'root, redis-server, cc'})`, () => {
  let whole: WholeCluster
  const modules: string[] = []

  beforeAll(async () => {
    whole = await startWholeCluster()
    await chmod(whole.data, 0o700) // nobody else may go there
    for (const major of [1, 2] as const) {
      const { body } = await whole.admin.upload(
        '/v2/modules',
        new Uint8Array(await packModule(await buildTally(major))),
      )
      modules.push(body.uid)
    }
  }, 60_000)
  afterAll(() => whole.stop())

  const shardsOf = (uid: number) => whole.cluster.databases.live(uid).shards
  const idsOf = async (pid: number) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const [, uids = '', gids = ''] = /^Uid:\s+(.*)\nGid:\s+(.*)\nFDSize/m.exec(status) ?? []
    return { uids: uids.split(/\s+/), gids: gids.split(/\s+/), groups: /^Groups:(.*)$/m.exec(status)?.[1]?.trim() }
  }

  it('run as a user of their own, also after an upgrade and a crash, and keep their data and modules', async () => {
    const module_list = [{ module_id: modules[0] }]
    const settings = { name: 'own', replication: true, data_persistence: 'aof', tls_mode: 'disabled', module_list }
    const { status, body } = await whole.admin.call('POST', '/v1/bdbs', settings)
    expect(status, JSON.stringify(body)).toBe(200)
    const client = await connectTo(body.port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '20'])
    const areTheirs = async () => {
      for (const { process: shard } of shardsOf(body.uid)) {
        const { uids, gids, groups } = await idsOf(shard!.pid)
        const uid = Number(uids[0])
        expect(uid).toBeGreaterThanOrEqual(60_700)
        expect([uids, gids, groups]).toEqual([Array(4).fill(`${uid}`), Array(4).fill(`${uid}`), ''])
        const { folder } = shard!.spec
        expect((await lstat(folder)).uid).toBe(uid)
        for (const name of ['appendonlydir', 'shard.sock']) expect((await lstat(join(folder, name))).uid).toBe(uid)
        expect((await lstat(join(folder, 'shard.conf'))).mode & 0o777).toBe(0o600)
      }
    }
    await areTheirs()
    const change = { modules: [{ current_module: modules[0], new_module: modules[1] }], preserve_roles: true }
    const upgraded = await whole.admin.call('POST', `/v1/bdbs/${body.uid}/upgrade`, change)
    expect(upgraded.status, JSON.stringify(upgraded.body)).toBe(200)
    expect(await client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2'])).toBe(40)
    client.destroy()
    const before = shardsOf(body.uid).map(({ process: shard }) => shard!.pid)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    const areBack = () =>
      shardsOf(body.uid).every(({ role, isSynced, process: shard }) => {
        return shard !== undefined && !before.includes(shard.pid) && (role === 'master' || isSynced)
      })
    await expect.poll(areBack, waiting).toBe(true)
    await areTheirs()
    const again = await connectTo(body.port)
    expect(await again.sendCommand(['TALLY.GET', 'scores', 'ann'])).toBe(40)
    again.destroy()
  }, 60_000)

  it('go on with what an Atoll that gave them no user has left, and its modules stay with root', async () => {
    const folder = await tempDir()
    const earlier = await startWholeCluster({ data: folder, user: 'root' })
    const bytes = new Uint8Array(await packModule(await buildTally(1)))
    const module_list = [{ module_id: (await earlier.admin.upload('/v2/modules', bytes)).body.uid }]
    const { body } = await earlier.admin.call('POST', '/v1/bdbs', { name: 'old', data_persistence: 'aof', module_list })
    const client = await connectTo(body.port)
    await client.set('a', '1')
    client.destroy()
    const { pid } = earlier.cluster.databases.live(body.uid).shards[0]!.process!
    expect((await idsOf(pid)).uids[0]).toBe('0')
    await earlier.stop({ keepsData: true })
    const later = await startWholeCluster({ data: folder })
    const shard = () => later.cluster.databases.live(body.uid).shards[0]!.process
    await expect.poll(() => shard()?.pid, waiting).toBeGreaterThan(0)
    expect((await idsOf(shard()!.pid)).uids[0]).not.toBe('0')
    expect((await lstat(shard()!.spec.modules[0]!.file)).uid).toBe(0)
    const kept = async () => {
      await using connection = await RedisConnection.open({ host: '127.0.0.1', port: body.port })
      return await connection.call('get', 'a')
    }
    await expect.poll(() => kept().catch(() => undefined), waiting).toBe('1')
    await later.stop({ keepsData: true })
  }, 60_000)

  it('cannot make Atoll read what is not theirs', async () => {
    const folder = await tempDir()
    await writeFile(join(folder, 'secret'), 'of root')
    await symlink(join(folder, 'secret'), join(folder, 'shard.log'))
    await expect(readLogEnd(join(folder, 'shard.log'))).rejects.toThrow('ELOOP')
  })

  it('have the user that is set, by name or by number, and it is said when there is no such one', async () => {
    const machine = { programs: ['/usr/bin/redis-server'], folder: await tempDir() }
    const found = (wanted: string) => findShardUser({ wanted, ...machine })
    expect(await found('60750:60751')).toEqual({ user: { uid: 60_750, gid: 60_751 } })
    expect(await found('daemon')).toEqual({ user: { uid: 1, gid: 1 } })
    expect(await found('root')).toEqual({})
    await expect(found('no-such-user')).rejects.toThrow('cluster.user is no-such-user, and there is no such user')
    await expect(findShardUser({ ...machine, wanted: '1', programs: ['/nowhere/redis'] })).rejects.toThrow(
      'cluster.user: /nowhere/redis cannot be started as user 1',
    )
    expect(await readdir(machine.folder)).toEqual([])
  })

  it.skipIf(!hasNamespaces)('run as root where no other user can be had, and that is said', async () => {
    const script = `
      import { findShardUser } from ${JSON.stringify(join(import.meta.dirname, 'shard-user.ts'))}
      const [folder] = process.argv.slice(-1)
      console.log(JSON.stringify(await findShardUser({ wanted: undefined, programs: [], folder })))`
    const args = ['-r', process.execPath, '--input-type=module', '-e', script, await tempDir()]
    const { stdout } = await promisify(execFile)('unshare', args)
    expect(JSON.parse(stdout)).toEqual({ problem: expect.stringMatching(/^Shards run as root, since .*EINVAL/) })
  })
})

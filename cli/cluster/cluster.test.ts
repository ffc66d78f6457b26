// `./atoll cluster` as an operator runs it, against a real cluster with real Redis servers.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { RedisConnection } from '@atoll/cluster/redis/redis-connection'
import { buildTally, packModule } from '@atoll/cluster/testing/native-modules'
import { connectTo, startWholeCluster, type WholeCluster } from '@atoll/cluster/testing/whole-cluster'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../places.ts'

interface Ended {
  code: number | null
  out: string
  err: string
}

interface Options {
  env?: Record<string, string>
  input?: string
  /** At a terminal, where both streams are one, once it asks. */
  isTyped?: boolean
  onErr?: (err: string, child: ChildProcess) => void
}

const user = 'admin@cluster.test:first-admin-password'
const lacks = lacking('redis-server', 'cc', 'script')

describe.skipIf(lacks !== '')(`./atoll cluster (${lacks || 'redis-server, cc, script'})`, () => {
  let whole: WholeCluster
  let folder: string

  function atoll(args: string[], { env = {}, input = '', isTyped = false, onErr }: Options = {}): Promise<Ended> {
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
    const all = { ...process.env, PATH, ATOLL_CLUSTER_URL: whole.admin.url, ATOLL_CLUSTER_USER: user, ...env }
    const command = [join(root, 'atoll'), 'cluster', ...args]
    const [program = '', ...rest] = isTyped ? ['script', '-qec', command.join(' '), '/dev/null'] : command
    const child = spawn(program, rest, { cwd: folder, env: all })
    const text = { out: '', err: '' }
    let untyped = isTyped ? input : undefined
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text.out += more
      if (untyped === undefined || !/\[y\/N\] |made up\): /.test(text.out)) return
      child.stdin.write(untyped)
      untyped = undefined
    })
    child.stderr.setEncoding('utf8').on('data', (more) => {
      text.err += more
      onErr?.(text.err, child)
    })
    if (!isTyped) child.stdin.end(input)
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, ...text }))
    })
  }

  const create = async (name: string, ...flags: string[]): Promise<number> => {
    const { code, out, err } = await atoll(['create', name, '--memory', '100mb', ...flags])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return Number(/ -p (\d+)/.exec(out)?.[1])
  }
  const versionOf = async (name: string): Promise<string> => {
    const databases = JSON.parse((await atoll(['databases', '--json'])).out)
    return databases.find((each: { name: string }) => each.name === name).module_list[0].semantic_version
  }

  beforeAll(async () => {
    ;[whole, folder] = [await startWholeCluster(), await tempDir()]
    for (const major of [1, 2] as const) {
      writeFileSync(join(folder, `tally-${major}.zip`), await packModule(await buildTally(major)))
    }
    const { code, out, err } = await atoll(['upload', 'tally-1.zip'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Module tally@1\.0\.0 is in the cluster \(uid \S+\)\.\nTo use it: /)
  }, 120_000)
  afterAll(() => whole.stop())
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.error(whole.logged.join('')))
  })

  it('creates a database, says where to connect, lists it, and deletes it when that is meant', async () => {
    expect((await atoll(['databases'])).out).toContain('To make one: ./atoll cluster create NAME')
    const port = await create('orders', '--module', 'tally', '--persistence', 'aof')
    const client = await connectTo(port)
    expect(await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '2'])).toBe(2)
    client.destroy()
    const { out } = await atoll(['databases'])
    expect(out).toMatch(/^UID +NAME +STATUS +ENDPOINT .*\n1 +orders +active +127\.0\.0\.1:\d+ +(redis|valkey) /)
    expect(out).toMatch(/ tally@1\.0\.0 +no +aof +100mb\n$/)
    expect(await atoll(['delete', 'orders'])).toMatchObject({ code: 1, err: expect.stringContaining('say --yes') })
    const kept = await atoll(['delete', 'orders'], { isTyped: true, input: 'n\r' })
    expect(kept.out).toContain('Delete database orders (uid 1) with all its data?')
    expect([kept.code, await versionOf('orders')]).toEqual([1, '1.0.0'])
    const gone = await atoll(['delete', '1', '--yes'])
    expect(gone).toEqual({ code: 0, out: 'Database orders (uid 1) is deleted.\n', err: '' })
    expect(await atoll(['databases', '--json'])).toMatchObject({ out: '[]\n' })
  }, 60_000)

  it('tries an upgrade, carries it through with its progress, and refuses the way back', async () => {
    const port = await create('scores', '--module', 'tally@1.0.0', '--replication')
    const client = await connectTo(port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '20'])
    expect((await atoll(['upgrade', 'scores', 'tally'])).out).toMatch(/^Nothing to do: scores has the newest/)
    expect((await atoll(['upload', 'tally-2.zip'])).code).toBe(0)

    const tried = await atoll(['upgrade', 'scores', 'tally', '--dry-run', '--preserve-roles'])
    expect(tried).toMatchObject({ code: 0, err: '' })
    expect(tried.out).toMatch(/^Would upgrade scores \(uid \d+\) through its replicas: tally 1\.0\.0 -> 2\.0\.0\n/)
    expect(tried.out).toMatch(/\n {2}1\. snapshot .*\n {2}2\. canary .*\n {2}7\. roles .*Nothing was changed\.\n$/s)
    expect(await versionOf('scores')).toBe('1.0.0')

    const done = await atoll(['upgrade', 'scores', 'tally', '--preserve-roles'])
    expect(done.err).toMatch(/^Upgrading scores .*: tally 1\.0\.0 -> 2\.0\.0\nRunning as action \S+; Ctrl-C leaves/)
    expect(done.err).toMatch(/\n +\d+% {2}\w+ .*shard \d+: \w+ (running|done)/)
    expect(done.err).toMatch(/\n +100% {2}completed\n$/)
    expect(done.out).toMatch(
      /^Upgraded scores in [\d.]+ s: tally 1\.0\.0 -> 2\.0\.0\nThe longest that clients had to wait: \d+ ms\n$/,
    )
    expect(done.code).toBe(0)
    expect(await client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2'])).toBe(40)
    client.destroy()

    const back = await atoll(['upgrade', 'scores', 'tally@1.0.0'])
    expect(back).toMatchObject({ code: 1, out: '' })
    expect(back.err).toMatch(
      /^atoll: the cluster refused with 406 \(module_downgrade_unsupported\): tally 1\.0\.0 is older than 2\.0\.0/,
    )
    expect(await versionOf('scores')).toBe('2.0.0')
  }, 90_000)

  it('leaves an upgrade running with Ctrl-C, and takes it up again', async () => {
    await create('left', '--module', 'tally@1.0.0')
    let isStopped = false
    const left = await atoll(['upgrade', 'left', 'tally@2.0.0'], {
      onErr: (err, child) => {
        if (isStopped || !err.includes('Running as ')) return
        isStopped = true
        child.kill('SIGINT')
      },
    })
    expect(left).toMatchObject({ code: 130, out: '' })
    const [, uid = ''] = /To follow it: \.\/atoll cluster action (\S+) --follow\n$/.exec(left.err) ?? []
    const followed = await atoll(['action', uid, '--follow'])
    expect(followed.out).toMatch(/^Upgrade of database \d+ to tally 2\.0\.0, begun .*Z\nIt is completed\.\n$/)
    expect([followed.code, await versionOf('left')]).toEqual([0, '2.0.0'])
    expect((await atoll(['actions'])).out).toMatch(
      new RegExp(`^UID .*\n${uid} +\\S+ \\S+ +completed +100% +Upgrade of`),
    )
  }, 60_000)

  it('tells the words of a module that refuses its arguments, and that nothing has changed', async () => {
    await create('strict', '--module', 'tally@1.0.0')
    const { code, err } = await atoll(['upgrade', 'strict', 'tally@2.0.0', '--args', 'NONSENSE'])
    expect(err).toMatch(/\natoll: the upgrade has failed: .*Everything is as it was\.\n$/)
    expect([code, await versionOf('strict')]).toEqual([1, '1.0.0'])
  }, 60_000)

  it('adds users, who may do what their role allows', async () => {
    const made = await atoll(['add-user', 'viewer@cluster.test', '--role', 'cluster_viewer'])
    expect(made.out).toMatch(
      /^User viewer@cluster\.test \(uid \d+\) is cluster_viewer\.\nThe password, shown only this once: \S+\n$/,
    )
    const password = /once: (\S+)/.exec(made.out)?.[1] ?? ''
    const env = { ATOLL_CLUSTER_USER: `viewer@cluster.test:${password}` }
    expect((await atoll(['modules'], { env })).out).toMatch(/^NAME +VERSION .*\ntally +1\.0\.0 /)
    expect(await atoll(['create', 'mine'], { env })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^atoll: the cluster refused with 403: The role cluster_viewer does not have .*\n$/),
    })
    const typed = await atoll(['add-user', 'typed@cluster.test', '--role', 'admin'], {
      isTyped: true,
      input: 'typed-password\r',
    })
    expect(typed).toMatchObject({ code: 0, out: expect.not.stringContaining('typed-password') })
    expect((await atoll(['users'], { env: { ATOLL_CLUSTER_USER: 'typed@cluster.test:typed-password' } })).code).toBe(0)
    const given = ['add-user', 'given@cluster.test', '--role', 'db_member', '--password-stdin']
    expect(await atoll(given, { input: 'given-password\n' })).toMatchObject({ code: 0, err: '' })
    expect((await atoll(['users'])).out).toMatch(/given@cluster\.test +\S+ +db_member +active\n/)
    expect((await atoll(['verify-audit'])).out).toMatch(/^The audit log is intact: \d+ entries/)
  }, 60_000)

  it('makes a password for the clients of a database and shows it once', async () => {
    const { out } = await atoll(['create', 'secret', '--password'])
    const [, password = '', port = ''] = /shown only this once: (\S+)\n.* -p (\d+) --askpass\n$/.exec(out) ?? []
    const address = { host: '127.0.0.1', port: Number(port) }
    await expect(RedisConnection.open(address)).rejects.toThrow('NOAUTH')
    await using connection = await RedisConnection.open(address, { username: 'default', password })
    expect(await connection.call('set', 'key', 'value')).toBe('OK')
    expect((await atoll(['databases', '--json'])).out).not.toContain(password)
  })

  it('says what is wrong in one line', async () => {
    writeFileSync(join(folder, 'empty.zip'), '')
    const refusals: [args: string[], env: Record<string, string>, told: RegExp][] = [
      [['databases'], { ATOLL_CLUSTER_USER: '' }, /ATOLL_CLUSTER_USER is not set\. .*email:password/],
      [['databases'], { ATOLL_CLUSTER_USER: 'admin' }, /ATOLL_CLUSTER_USER is not of the form email:password\./],
      [
        ['databases'],
        { ATOLL_CLUSTER_USER: 'admin@cluster.test:wrong' },
        /refused with 401: .* ATOLL_CLUSTER_USER has them/,
      ],
      [
        ['databases', '--url', 'http://127.0.0.1:9999'],
        {},
        /no cluster answers at .* \(ECONNREFUSED\)\. Start it with \.\/atoll up --with cluster/,
      ],
      [['databases', '--url', 'http://u:hunter2@127.0.0.1:9999'], {}, /the address may not hold a password/],
      [['delete', 'lft', '--yes'], {}, /there is no database lft; did you mean left\?/],
      [
        ['create', 'other', '--module', 'talley'],
        {},
        /no module talley; it has .*tally@1\.0\.0.* \.\/atoll cluster upload/,
      ],
      [['create', 'other', '--memory', 'lots'], {}, /--memory lots is no amount of memory/],
      [['create', 'left'], {}, /refused with 409 \(name_already_exists\): A database with the name left exists/],
      [['upgrade', 'left', 'chime'], {}, /database left has no module chime; it has tally@2\.0\.0\./],
      [['upload', 'absent.zip'], {}, /there is no file absent\.zip\./],
      [['upload', 'empty.zip'], {}, /refused with 400 \(\w+\): /],
      [['action', 'none'], {}, /refused with 404: There is no action none\./],
    ]
    for (const [args, env, told] of refusals) {
      const { code, out, err } = await atoll(args, { env })
      expect({ code, out }, args.join(' ')).toEqual({ code: 1, out: '' })
      expect(err).toMatch(new RegExp(`^atoll: .*${told.source}.*\n$`))
      expect(err).not.toContain('hunter2')
    }
  }, 60_000)
})

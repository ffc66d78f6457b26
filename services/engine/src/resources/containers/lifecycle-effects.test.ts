// The life of containers in a whole engine: starting, stopping, waiting, changing, removing.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { around, spanOf } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
let folder: string
beforeAll(async () => {
  folder = mkdtempSync('/tmp/al-')
  engine = await startWholeEngine()
})
afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const post = (path: string, body?: unknown) => engine.call('POST', path, body)
const inspect = async (id: string, version = '1.47') =>
  (await engine.call('GET', `/v${version}/containers/${id}/json`)).body
const remove = (id: string) => engine.call('DELETE', `/containers/${id}?force=1&v=1`)
const create = (version: string, body: object, query = '') =>
  post(`/v${version}/containers/create${query}`, { Image: 'busybox', Cmd: ['sleep', '99'], ...body })
const filters = (asked: object) => `filters=${encodeURIComponent(JSON.stringify(asked))}`

/** A program that tells the signals it gets, and stays. */
const listener = [
  'sh',
  '-c',
  'for s in TERM INT QUIT USR1; do trap "echo $s; exit 7" $s; done; echo up; while :; do sleep 0.05; done',
]
/** How it ended, and what it heard, by version. */
async function heard(version: string, how: string, settings: object = {}): Promise<string> {
  const id = await engine.run(version, '', { Cmd: listener, ...settings })
  while (!(await engine.client.logs(id)).includes('up')) await new Promise((resolve) => setTimeout(resolve, 5))
  expect((await post(`/v${version}/containers/${id}/${how}`)).status).toBe(204)
  const words = (await engine.client.logs(id)).replaceAll(/up\n/g, '').trim()
  await remove(id)
  return words
}

describe('stopping', () => {
  it('ENG-194 ENG-296 ENG-297 gives the signal that was asked for from 1.42 on, or that of the container', async () => {
    const [stopped, before, restarted, restartedBefore, own, plain] = await Promise.all([
      heard('1.42', 'stop?signal=QUIT'),
      heard('1.41', 'stop?signal=QUIT'),
      heard('1.42', 'restart?signal=INT'),
      heard('1.41', 'restart?signal=INT'),
      heard('1.21', 'stop', { StopSignal: 'SIGUSR1' }),
      heard('1.20', 'stop', { StopSignal: 'SIGUSR1' }),
    ])
    expect([stopped, before, restarted, restartedBefore, own, plain]).toEqual([
      ...['QUIT', 'TERM', 'INT', 'TERM', 'USR1', 'TERM'],
    ])
    const id = await engine.run('1.47', '')
    expect((await post(`/containers/${id}/stop?signal=NONSENSE`)).status).toBe(400)
    await remove(id)
  })

  it('ENG-160 becomes killing after the time that the container names, from 1.25 on', async () => {
    const stubborn = { Cmd: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'], StopTimeout: 0 }
    const id = await engine.run('1.25', 'stubborn', stubborn)
    const began = Date.now()
    expect((await post('/containers/stubborn/stop')).status).toBe(204)
    // Ten seconds unless it says so.
    expect(Date.now() - began).toBeLessThan(8_000)
    expect((await inspect(id)).State.ExitCode).toBe(137)
    const { Id } = (await create('1.24', stubborn)).body
    expect((await inspect(Id)).Config.StopTimeout).toBeUndefined()
    for (const each of [id, Id]) await remove(each)
  })
})

describe('starting', () => {
  it('ENG-300 ENG-301 takes settings of the host from callers before 1.24 alone', async () => {
    const body = { Ulimits: [{ Name: 'nofile', Soft: 100, Hard: 200 }], Binds: [`${folder}:/given`] }
    const among = around('1.24')
    const statuses = new Map<string, number>()
    for (const version of among) {
      const { Id } = (await create(version, {})).body
      const { status } = await post(`/v${version}/containers/${Id}/start`, body)
      statuses.set(version, status)
      if (version === '1.18' || version === '1.23') {
        const said = await engine.inside(Id, 'grep "open files" /proc/1/limits; ls -d /given')
        expect(said).toMatch(/Max open files +100 +200 .*\n\/given\n/)
      }
      if (status === 400) expect((await inspect(Id)).State.Running).toBe(false)
      await remove(Id)
    }
    expect(spanOf((version) => statuses.get(version) === 204, among)).toBe('to 1.23')
    expect(spanOf((version) => statuses.get(version) === 400, among)).toBe('1.24+')
  })
})

describe('changing a container', () => {
  const update = (version: string, id: string, body: object) => post(`/v${version}/containers/${id}/update`, body)
  const pids = async (id: string) =>
    (await engine.inside(id, 'cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2> /dev/null || true')).trim()

  it('ENG-302 ENG-303 ENG-305 ENG-306 reaches its limits and its restart policy, live and for good, from their versions on', async () => {
    const id = await engine.run('1.47', 'changed', { HostConfig: { CgroupnsMode: 'private' } })
    expect((await update('1.21', id, { CpuShares: 512 })).status).toBe(404)
    expect((await update('1.22', id, { CpuShares: 512 })).status).toBe(200)
    const change = { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 }, NanoCpus: 5e8, PidsLimit: 77 }
    const after: Record<string, unknown[]> = {}
    for (const version of ['1.22', '1.23', '1.27', '1.28', '1.39', '1.40']) {
      expect(await update(version, id, change)).toEqual({ status: 200, body: { Warnings: [] } })
      const { HostConfig } = await inspect(id)
      after[version] = [HostConfig.RestartPolicy.Name, HostConfig.NanoCpus, HostConfig.PidsLimit]
    }
    expect(after).toEqual({
      '1.22': ['no', 0, null],
      '1.23': ['on-failure', 0, null],
      '1.27': ['on-failure', 0, null],
      '1.28': ['on-failure', 5e8, null],
      '1.39': ['on-failure', 5e8, null],
      '1.40': ['on-failure', 5e8, 77],
    })
    expect(await pids(id)).toBe('77')
    expect((await inspect(id)).HostConfig.CpuShares).toBe(512)
  })

  it('ENG-307 ENG-308 ENG-309 knows a limit of processes, none, and the one before', async () => {
    const limit = async () => [(await inspect('changed')).HostConfig.PidsLimit, await pids('changed')]
    for (const [PidsLimit, expected] of [
      [9, [9, '9']],
      [null, [9, '9']],
      [0, [0, 'max']],
      [5, [5, '5']],
      [-1, [0, 'max']],
      [-2, [0, 'max']],
    ] as const) {
      expect(await update('1.40', 'changed', { PidsLimit })).toEqual({ status: 200, body: { Warnings: [] } })
      expect(await limit()).toEqual(expected)
    }
  })

  it('ENG-304 refuses a policy that is none from 1.25 on', async () => {
    const wrong = { RestartPolicy: { Name: 'sometimes' } }
    for (const version of ['1.25', '1.47']) {
      const { status, body } = await update(version, 'changed', wrong)
      expect([status, body.message]).toEqual([400, expect.stringContaining("unknown policy 'sometimes'")])
    }
    expect((await update('1.24', 'changed', wrong)).status).toBe(200)
    expect((await inspect('changed')).HostConfig.RestartPolicy.Name).toBe('on-failure')
    await remove('changed')
  })
})

describe('waiting', () => {
  /** The status as soon as it comes, whether it had come before the end, and what followed. */
  async function wait(version: string, id: string, query: string, end: () => Promise<unknown>) {
    let hasEnded = false
    const opened = engine.client.open('POST', `/v${version}/containers/${id}/wait${query}`)
    const head = opened.then(() => !hasEnded)
    const early = version === '1.29' ? false : await head
    await end()
    hasEnded = true
    const answer = await opened
    const body = JSON.parse(Buffer.concat(await answer.toArray()).toString())
    return { status: answer.statusCode, early, body }
  }

  it('ENG-311 ENG-312 ENG-318 answers its head at once from 1.30 on, and how the container ended when it has', async () => {
    for (const [version, query] of [
      ['1.47', ''],
      ['1.30', '?condition=next-exit'],
      ['1.29', ''],
    ] as const) {
      const id = await engine.run('1.47', '')
      const answer = await wait(version, id, query, () => post(`/containers/${id}/kill`))
      expect(answer).toMatchObject({ status: 200, early: version !== '1.29', body: { StatusCode: 137 } })
      expect(answer.body.Error ?? null).toBeNull()
      expect((await post(`/containers/${id}/wait?condition=not-running`)).body).toMatchObject({ StatusCode: 137 })
      await remove(id)
    }
    // For an end that is yet to come, of one that has not begun.
    const { Id } = (await create('1.47', { Cmd: ['sh', '-c', 'exit 4'] })).body
    const answer = await wait('1.47', Id, '?condition=next-exit', () => post(`/containers/${Id}/start`))
    expect(answer.body).toMatchObject({ StatusCode: 4 })
    expect((await post(`/containers/${Id}/wait`)).body).toMatchObject({ StatusCode: 4 })
    await remove(Id)
  })

  it('ENG-313 ENG-314 refuses a condition that it does not know with 400 from 1.30 on', async () => {
    const { Id } = (await create('1.47', {})).body
    for (const version of ['1.30', '1.42', '1.47']) {
      const { status, body } = await post(`/v${version}/containers/${Id}/wait?condition=tired`)
      expect([status, body.message]).toEqual([400, 'invalid condition: "tired"'])
    }
    for (const version of ['1.18', '1.29']) {
      expect((await post(`/v${version}/containers/${Id}/wait?condition=tired`)).status).toBe(200)
    }
    await remove(Id)
  })

  it('ENG-154 ENG-315 lasts until a container is gone that removes itself', async () => {
    const asked = { Cmd: ['sh', '-c', 'exit 5'], HostConfig: { AutoRemove: true }, Volumes: { '/own': {} } }
    const { Id } = (await create('1.34', asked)).body
    const [{ Name }] = (await inspect(Id)).Mounts
    const answer = await wait('1.34', Id, '?condition=removed', () => post(`/containers/${Id}/start`))
    expect(answer.body).toMatchObject({ StatusCode: 5 })
    expect((await engine.call('GET', `/containers/${Id}/json`)).status).toBe(404)
    expect((await engine.call('GET', `/volumes/${Name}`)).status).toBe(404)
  })

  it('ENG-291 ENG-316 ENG-317 ends when a removal fails, and tells why; the container is dead', async () => {
    const { Id } = (await create('1.47', {}, '?name=stuck')).body
    const own = dirname((await inspect(Id)).HostsPath)
    await engine.host.run('mkdir', [join(own, 'held')])
    await engine.host.run('mount', ['-t', 'tmpfs', 'tmpfs', join(own, 'held')])
    let removal = 0
    const answer = await wait('1.34', Id, '?condition=removed', async () => {
      removal = (await engine.call('DELETE', '/containers/stuck')).status
    })
    expect(removal).toBe(500)
    expect(answer.body).toEqual({ StatusCode: 0, Error: { Message: expect.stringContaining('EBUSY') } })
    expect((await inspect(Id)).State).toMatchObject({ Status: 'dead', Dead: true })
    const listed = async (version: string) =>
      (await engine.call('GET', `/v${version}/containers/json?all=1&${filters({ status: ['dead'] })}`)).body
    for (const version of ['1.23', '1.47']) expect(await listed(version)).toMatchObject([{ Id, State: 'dead' }])
    await engine.host.run('umount', [join(own, 'held')])
    expect((await engine.call('DELETE', '/containers/stuck')).status).toBe(204)
    expect(existsSync(own)).toBe(false)
  })
})

describe('removing', () => {
  it('ENG-225 ENG-280 ENG-281 ENG-298 ENG-299 is told while it lasts from 1.25 on, and cannot be begun twice', async () => {
    // Its last lines go to one who does not say that they have come: its removal waits for that.
    const address = join(folder, 'f.sock')
    const connections: Socket[] = []
    const receiver = createServer((socket) => connections.push(socket.resume().on('error', () => {}))).listen(address)
    const Config = { 'fluentd-address': `unix://${address}`, 'fluentd-async': 'true', 'fluentd-request-ack': 'true' }
    const HostConfig = { LogConfig: { Type: 'fluentd', Config } }
    const id = await engine.run('1.47', 'going', { Cmd: ['echo', 'word'], HostConfig })
    await post('/containers/going/wait')
    await engine.run('1.47', 'staying')
    const removal = engine.call('DELETE', '/containers/going')
    while ((await inspect(id)).State.Status !== 'removing') await new Promise((resolve) => setTimeout(resolve, 1))
    const list = async (version: string, asked?: object) => {
      const query = asked === undefined ? '' : `&${filters(asked)}`
      const { body } = await engine.call('GET', `/v${version}/containers/json?all=1${query}`)
      return body.map(({ Names, State }: { Names: string[]; State: string }) => `${Names[0]} ${State}`)
    }
    for (const version of ['1.25', '1.47']) {
      expect((await inspect(id, version)).State).toMatchObject({ Status: 'removing', Running: false })
      expect(await list(version)).toEqual(['/staying running', '/going removing'])
      expect(await list(version, { status: ['removing'] })).toEqual(['/going removing'])
      expect(await list(version, { status: ['exited'] })).toEqual([])
      const again = await engine.call('DELETE', `/v${version}/containers/going`)
      expect([again.status, again.body.message]).toEqual([400, 'removal of container going is already in progress'])
    }
    expect((await inspect(id, '1.24')).State.Status).toBe('exited')
    expect(await list('1.24')).toEqual(['/staying running', '/going exited'])
    expect(await list('1.24', { status: ['exited'] })).toEqual(['/going exited'])
    expect((await engine.call('DELETE', '/v1.24/containers/going')).status).not.toBe(400)
    receiver.close()
    for (const connection of connections) connection.destroy()
    expect((await removal).status).toBe(204)
    expect(await list('1.47')).toEqual(['/staying running'])
    await remove('staying')
  })

  it('ENG-697 ENG-701 ENG-702 ENG-703 ENG-704 of all that does not run goes by label, with labels from 1.29 on', async () => {
    const made = async (Labels: object) => (await create('1.47', { Labels })).body.Id
    await engine.run('1.47', 'runs', { Labels: { x: '1' } })
    const [a, b, c, d] = [await made({ x: '1' }), await made({ x: '2' }), await made({ y: '1' }), await made({})]
    const prune = async (asked: object, version = '1.29') => post(`/v${version}/containers/prune?${filters(asked)}`)
    expect((await post('/v1.24/containers/prune')).status).toBe(404)
    expect((await prune({ label: ['x'] }, '1.28')).status).toBe(400)
    expect((await prune({ until: ['1h'] }, '1.25')).body).toEqual({ ContainersDeleted: null, SpaceReclaimed: 0 })
    expect((await prune({ label: ['x=2'] })).body).toMatchObject({ ContainersDeleted: [b] })
    expect((await prune({ 'label!': ['x', 'y=1'] })).body).toMatchObject({ ContainersDeleted: [d] })
    expect((await prune({ 'label!': ['x=1'] })).body).toMatchObject({ ContainersDeleted: [c] })
    expect((await prune({ label: ['x'] })).body).toMatchObject({ ContainersDeleted: [a] })
    const last = await made({})
    expect((await post('/v1.25/containers/prune')).body).toMatchObject({ ContainersDeleted: [last] })
    expect((await inspect('runs')).State.Running).toBe(true)
    await remove('runs')
  })
})

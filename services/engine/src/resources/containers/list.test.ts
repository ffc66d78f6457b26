// The list of containers over HTTP, with every filter.
import { describe, expect, it } from 'vitest'
import { summarize } from './summary.ts'
import { type ContainersServer, openContainers } from './testing/containers-server.ts'
import { duration, timestampOf } from './timestamps.ts'

const names = async (server: ContainersServer, query: string): Promise<string[]> => {
  const { status, body } = await server.get(`/containers/json${query}`)
  if (status !== 200) throw new Error(body.message)
  return body.map(({ Names }: { Names: string[] }) => Names[0]?.slice(1))
}

const filtered = (server: ContainersServer, filters: object, more = '&all=1') =>
  names(server, `?filters=${encodeURIComponent(JSON.stringify(filters))}${more}`)

describe('the list of containers', () => {
  it('tells what there is of each, the newest first', async () => {
    const server = await openContainers()
    await server.create({ Cmd: ['sleep'] }, '?name=first')
    const done = await server.run({ Cmd: ['true'] }, '?name=done')
    await server.post(`/containers/${done}/wait`)
    const id = await server.run(
      {
        Cmd: ['sleep', 'a b'],
        Labels: { x: 'y' },
        ExposedPorts: { '80/tcp': {} },
        HostConfig: {
          PortBindings: { '80/tcp': [{ HostPort: '8080' }] },
          Annotations: { note: 'this' },
          Binds: ['/tmp:/data:ro'],
        },
      },
      '?name=last',
    )
    expect(await names(server, '')).toEqual(['last'])
    expect(await names(server, '?all=1')).toEqual(['last', 'done', 'first'])
    expect(await names(server, '?limit=2')).toEqual(['last', 'done'])
    const { body } = await server.get('/containers/json?all=true')
    expect(body[0]).toMatchObject({
      Id: id,
      Image: 'busybox',
      ImageID: expect.stringMatching(/^sha256:/),
      Command: "sleep 'a b'",
      Ports: [{ IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' }],
      Labels: { x: 'y' },
      State: 'running',
      Status: expect.stringMatching(/^Up (Less than a|\d) second/),
      HostConfig: { NetworkMode: 'bridge', Annotations: { note: 'this' } },
      NetworkSettings: { Networks: { bridge: { NetworkID: 'id-of-bridge', IPAddress: expect.any(String) } } },
      Mounts: [{ Type: 'bind', Source: '/tmp', Destination: '/data', Mode: 'ro', RW: false }],
    })
    expect(body[1]).toMatchObject({ State: 'exited', Status: expect.stringMatching(/^Exited \(0\) .* ago$/) })
    expect(body[2]).toMatchObject({ State: 'created', Status: 'Created' })
    expect(body[0].SizeRw).toBeUndefined()
    expect((await server.get('/containers/json?size=1')).body[0]).toMatchObject({ SizeRw: 5, SizeRootFs: 15 })
  })

  it('shows a change at once', async () => {
    const server = await openContainers()
    await server.run({ Cmd: ['sleep'] }, '?name=aa')
    expect(await names(server, '')).toEqual(['aa'])
    await server.post('/containers/aa/rename?name=bb')
    expect(await names(server, '')).toEqual(['bb'])
    await server.post('/containers/bb/pause')
    expect((await server.get('/containers/json')).body[0]).toMatchObject({
      State: 'paused',
      Status: expect.stringMatching(/\(Paused\)$/),
    })
    await server.delete('/containers/bb?force=1')
    expect(await names(server, '?all=1')).toEqual([])
  })

  it('has words for every state', () => {
    const state = { pid: 0, exitCode: 3, error: '', oomKilled: false, stoppedByCaller: false }
    const text = (status: 'paused' | 'restarting' | 'dead' | 'removing' | 'running', health?: 'healthy' | 'starting') =>
      summarize(
        {
          id: '',
          name: '',
          created: timestampOf(0),
          imageId: '',
          imageName: '',
          os: 'linux',
          config: {} as never,
          hostConfig: {} as never,
          endpoints: {},
          mounts: [],
          path: 'x',
          args: [],
          restartCount: 0,
          ports: {},
          state: {
            ...state,
            status,
            startedAt: timestampOf(1),
            finishedAt: timestampOf(1),
            ...(health === undefined ? {} : { health: { Status: health, FailingStreak: 0, Log: [] } }),
          },
        },
        120_001,
      )
    expect(text('paused')).toMatchObject({ State: 'paused', Status: 'Up 2 minutes (Paused)' })
    expect(text('restarting')).toMatchObject({ State: 'restarting', Status: 'Restarting (3) 2 minutes ago' })
    expect(text('dead')).toMatchObject({ State: 'dead', Status: 'Dead' })
    expect(text('removing')).toMatchObject({ State: 'removing', Status: 'Removal In Progress' })
    expect(text('running', 'healthy').Status).toBe('Up 2 minutes (healthy)')
    expect(text('running', 'starting').Status).toBe('Up 2 minutes (health: starting)')
  })

  it('says how long ago as people do', () => {
    const hour = 3_600_000
    const cases: [number, string][] = [
      [500, 'Less than a second'],
      [1000, '1 second'],
      [59_000, '59 seconds'],
      [60_000, 'About a minute'],
      [46 * 60_000, '46 minutes'],
      [hour, 'About an hour'],
      [30 * hour, '30 hours'],
      [72 * hour, '3 days'],
      [15 * 24 * hour, '2 weeks'],
      [90 * 24 * hour, '3 months'],
      [800 * 24 * hour, '2 years'],
    ]
    for (const [milliseconds, words] of cases) expect(duration(milliseconds)).toBe(words)
  })

  it('filters', async () => {
    const server = await openContainers()
    const app = server.images.add('app:1', { Cmd: ['sleep'] })
    const first = await server.run(
      {
        Cmd: ['sleep'],
        Labels: { tier: 'web', env: 'a' },
        ExposedPorts: { '80/tcp': {} },
        HostConfig: { PortBindings: { '80/tcp': [{ HostPort: '8080' }] }, Binds: ['/tmp:/data'] },
      },
      '?name=web-1',
    )
    await server.run({ Image: 'app:1', Labels: { tier: 'db' }, HostConfig: { NetworkMode: 'mine' } }, '?name=db-1')
    const failed = await server.run({ Cmd: ['exit', '3'] }, '?name=job')
    await server.post(`/containers/${failed}/wait`)
    const cases: [object, string[]][] = [
      [{ id: [first.slice(0, 12)] }, ['web-1']],
      [{ name: ['^/web'] }, ['web-1']],
      [{ name: ['-1'] }, ['db-1', 'web-1']],
      [{ name: { job: true } }, ['job']],
      [{ label: ['tier'] }, ['db-1', 'web-1']],
      [{ label: ['tier=web', 'env=a'] }, ['web-1']],
      [{ exited: ['3'] }, ['job']],
      [{ exited: ['0'] }, []],
      [{ status: ['running'] }, ['db-1', 'web-1']],
      [{ status: ['exited', 'removing'] }, ['job']],
      [{ ancestor: ['app:1'] }, ['db-1']],
      [{ ancestor: [app.id] }, ['db-1']],
      [{ ancestor: ['nothing'] }, []],
      [{ before: ['db-1'] }, ['web-1']],
      [{ since: ['db-1'] }, ['job']],
      [{ volume: ['/data'] }, ['web-1']],
      [{ network: ['mine'] }, ['db-1']],
      [{ network: ['id-of-mine'] }, ['db-1']],
      [{ publish: ['8080'] }, ['web-1']],
      [{ publish: ['8000-9000/tcp'] }, ['web-1']],
      [{ publish: ['8080/udp'] }, []],
      [{ expose: ['80/tcp'] }, ['web-1']],
      [{ health: ['none'] }, ['job', 'db-1', 'web-1']],
      [{ health: ['healthy'] }, []],
      [{ isolation: ['default'] }, ['job', 'db-1', 'web-1']],
      [{ 'is-task': ['true'] }, []],
      [{ 'is-task': ['false'] }, ['job', 'db-1', 'web-1']],
    ]
    for (const [filters, expected] of cases) {
      expect([filters, await filtered(server, filters)]).toEqual([filters, expected])
    }
    expect(await filtered(server, { status: ['exited'] }, '')).toEqual(['job'])
    expect(await filtered(server, { name: ['job'] }, '')).toEqual([])
  })

  it('finds containers of images that were made from another', async () => {
    const server = await openContainers()
    server.images.add('base:1', { Cmd: ['sleep'] }, 'amd64', ['a', 'b'])
    server.images.add('app:1', { Cmd: ['sleep'] }, 'amd64', ['a', 'b', 'c'])
    server.images.add('other:1', { Cmd: ['sleep'] }, 'amd64', ['a'])
    for (const name of ['base', 'app', 'other']) await server.create({ Image: `${name}:1` }, `?name=${name}`)
    expect(await filtered(server, { ancestor: ['base:1'] })).toEqual(['app', 'base'])
  })

  it('refuses filters it does not know, and values that mean nothing', async () => {
    const server = await openContainers()
    const refused = [
      { colour: ['red'] },
      { status: ['asleep'] },
      { exited: ['x'] },
      { publish: ['http'] },
      { 'is-task': ['maybe'] },
    ]
    for (const filters of refused) {
      const { status, body } = await server.get(
        `/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`,
      )
      expect([filters, status]).toEqual([filters, 400])
      expect(body.message).toMatch(/invalid/)
    }
    expect((await server.get('/containers/json?filters=nonsense')).status).toBe(400)
    expect((await server.get('/containers/json?filters=%7B%22before%22%3A%5B%22no%22%5D%7D')).status).toBe(404)
  })

  it('shows how bind mounts were asked to be bound', async () => {
    const server = await openContainers()
    const mount = (Target: string, BindOptions: object) => ({ Type: 'bind', Source: '/tmp', Target, BindOptions })
    await server.run({
      Cmd: ['sleep'],
      HostConfig: {
        Mounts: [
          mount('/a', { ReadOnlyNonRecursive: true }),
          mount('/b', { ReadOnlyForceRecursive: true }),
          mount('/c', { NonRecursive: true }),
        ],
      },
    })
    const { body } = await server.get('/containers/json')
    expect(body[0].Mounts.map(({ BindOptions }: { BindOptions: object }) => BindOptions)).toEqual([
      { ReadOnlyNonRecursive: true },
      { ReadOnlyForceRecursive: true },
      { NonRecursive: true },
    ])
  })

  it('shows the id of an image that lost its name', async () => {
    const server = await openContainers()
    await server.run({ Cmd: ['sleep'] }, '?name=aa')
    const before = server.images.stored.get('busybox:latest')
    server.images.add('busybox:latest', { Cmd: ['sh'] })
    server.events.emit('image', 'tag', 'sha256:2', { name: 'busybox:latest' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await server.get('/containers/json')).body[0].Image).toBe(before?.id)
  })
})

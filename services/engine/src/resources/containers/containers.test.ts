// Containers over HTTP: create, list, inspect, and the whole way of one container.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openContainers } from './testing/containers-server.ts'

describe('containers', () => {
  it('go the whole way: create, start, stop, start, kill, remove', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['sleep'], Labels: { a: 'b' } }, '?name=web')
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect((await server.inspect('web')).State.Status).toBe('created')
    expect((await server.post('/containers/web/start')).status).toBe(204)
    expect((await server.post('/containers/web/start')).status).toBe(304)
    const running = await server.inspect(id.slice(0, 8))
    expect(running.State).toMatchObject({ Status: 'running', Running: true, ExitCode: 0 })
    expect(running.State.Pid).toBeGreaterThan(0)
    expect((await server.post('/containers/web/stop?t=5')).status).toBe(204)
    expect((await server.post('/containers/web/stop')).status).toBe(304)
    expect((await server.inspect('web')).State).toMatchObject({ Status: 'exited', ExitCode: 143, Pid: 0 })
    await server.post('/containers/web/start')
    expect((await server.post('/containers/web/kill')).status).toBe(204)
    expect((await server.inspect('web')).State).toMatchObject({ Status: 'exited', ExitCode: 137 })
    expect((await server.delete('/containers/web')).status).toBe(204)
    expect((await server.get('/containers/web/json')).body).toEqual({ message: 'No such container: web' })
    expect(server.actions()).toEqual(['create', 'start', 'kill', 'die', 'stop', 'start', 'kill', 'die', 'destroy'])
    const die = server.events.past.find(({ event }) => event.Action === 'die')?.event
    expect(die?.Actor).toEqual({
      ID: id,
      Attributes: { a: 'b', image: 'busybox', name: 'web', exitCode: '143', execDuration: '0' },
    })
  })

  it('refuses a container without a command, and one without an image', async () => {
    const server = await openContainers()
    server.images.add('bare:latest', {})
    expect(await server.post('/containers/create', { Image: 'bare' })).toEqual({
      status: 400,
      body: { message: 'no command specified' },
    })
    expect(await server.post('/containers/create', { Image: 'nowhere', Cmd: ['x'] })).toEqual({
      status: 404,
      body: { message: 'No such image: nowhere:latest' },
    })
  })

  it('keeps names unique, and says who has one', async () => {
    const server = await openContainers()
    const id = await server.create({}, '?name=one')
    const { status, body } = await server.post('/containers/create?name=one', { Image: 'busybox' })
    expect(status).toBe(409)
    expect(body.message).toBe(
      `Conflict. The container name "/one" is already in use by container "${id}". You have to remove (or rename) that container to be able to reuse that name.`,
    )
    expect((await server.post('/containers/create?name=-x', { Image: 'busybox' })).status).toBe(400)
    expect((await server.inspect(await server.create({}))).Name).toMatch(/^\/[a-z]+_[a-z]+$/)
  })

  it('takes back the name of a container that could not be made', async () => {
    const server = await openContainers()
    const broken = await server.post('/containers/create?name=one', { Image: 'busybox', WorkingDir: 'here' })
    expect(broken.status).toBe(400)
    await server.create({}, '?name=one')
  })

  it('tells all that is wrong at once, with 400', async () => {
    const server = await openContainers()
    const { status, body } = await server.post('/containers/create', {
      Image: 'busybox',
      Hostname: 'no_underscores',
      WorkingDir: 'here',
      HostConfig: { RestartPolicy: { Name: 'sometimes' }, Binds: ['x'], Memory: 1000 },
      NetworkingConfig: { EndpointsConfig: { gone: {}, mine: { IPAMConfig: { IPv4Address: 'abc' } } } },
    })
    expect(status).toBe(400)
    expect(body.message.split('\n')).toEqual([
      "the working directory 'here' is invalid, it needs to be an absolute path",
      "invalid restart policy: unknown policy 'sometimes'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'",
      'invalid hostname format: no_underscores',
      'Minimum memory limit allowed is 6MB',
      "invalid volume specification: 'x'",
      'network gone not found',
      'invalid IPv4 address: abc',
    ])
  })

  it('merges what the image says into what was asked for', async () => {
    const server = await openContainers()
    server.images.add('app:1', {
      Env: ['PATH=/bin', 'A=image'],
      Entrypoint: ['/start'],
      Cmd: ['serve'],
      Labels: { of: 'image', both: 'image' },
      ExposedPorts: { '80/tcp': {} },
      Volumes: { '/data': {} },
      WorkingDir: '/srv',
      User: 'app',
      StopSignal: 'SIGINT',
      Healthcheck: { Test: ['CMD', 'check'], Interval: 1_000_000_000, Retries: 2 },
    })
    const id = await server.create({
      Image: 'app:1',
      Env: ['A=mine'],
      Labels: { both: 'mine' },
      ExposedPorts: { '81/udp': {} },
      Healthcheck: { Retries: 5 },
    })
    const { Config, Path, Args } = await server.inspect(id)
    expect([Path, Args]).toEqual(['/start', ['serve']])
    expect(Config).toMatchObject({
      Env: ['A=mine', 'PATH=/bin'],
      Labels: { of: 'image', both: 'mine' },
      ExposedPorts: { '80/tcp': {}, '81/udp': {} },
      Volumes: { '/data': {} },
      WorkingDir: '/srv',
      User: 'app',
      StopSignal: 'SIGINT',
      Healthcheck: { Test: ['CMD', 'check'], Interval: 1_000_000_000, Retries: 5 },
    })
    const other = await server.inspect(await server.create({ Image: 'app:1', Entrypoint: ['/bin/sh'] }))
    expect([other.Path, other.Args, other.Config.Cmd]).toEqual(['/bin/sh', [], null])
    const reset = await server.inspect(await server.create({ Image: 'app:1', Entrypoint: [''], Cmd: ['ls'] }))
    expect([reset.Path, reset.Args, reset.Config.Entrypoint]).toEqual(['ls', [], null])
  })

  it('looks for the platform that was asked for', async () => {
    const server = await openContainers()
    server.images.add('arm:1', { Cmd: ['sh'] }, 'arm64')
    const create = (image: string, platform: string) =>
      server.post(`/containers/create${platform && `?platform=${platform}`}`, { Image: image })
    const plain = await create('arm:1', '')
    expect(plain.status).toBe(201)
    expect(plain.body.Warnings[0]).toMatch(/platform \(linux\/arm64\) does not match the detected host platform/)
    expect((await create('arm:1', 'linux/amd64')).status).toBe(404)
    expect((await create('busybox', 'linux/arm64/v8')).status).toBe(404)
    expect((await create('busybox', 'linux')).body.Warnings).toEqual([])
    expect((await create('busybox', 'linux/amd64')).status).toBe(201)
    expect((await create('arm:1', 'linux/arm64')).body.Warnings).toEqual([])
    expect((await create('busybox', 'a/b/c/d')).status).toBe(400)
  })

  it('writes hostname, hosts and resolv.conf of the container', async () => {
    const server = await openContainers()
    const id = await server.run({
      Cmd: ['sleep'],
      Hostname: 'box',
      Domainname: 'example.org',
      HostConfig: { ExtraHosts: ['db:10.0.0.9', 'up:host-gateway'] },
    })
    const { HostsPath, HostnamePath, ResolvConfPath } = await server.inspect(id)
    expect(await readFile(HostnamePath, 'utf8')).toBe('box\n')
    expect(await readFile(ResolvConfPath, 'utf8')).toContain('nameserver')
    const hosts = await readFile(HostsPath, 'utf8')
    expect(hosts).toContain('10.0.0.9\tdb\n')
    expect(hosts).toContain('172.17.0.1\tup\n')
    expect(hosts).toContain('172.17.0.2\tbox.example.org box\n')
  })

  it("says docker's words and code for a program that is not there, and leaves nothing behind", async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['missing'] })
    const { status, body } = await server.post(`/containers/${id}/start`)
    expect(status).toBe(400)
    expect(body.message).toContain('exec: "missing": executable file not found in $PATH')
    const { State } = await server.inspect(id)
    expect(State).toMatchObject({ Status: 'created', ExitCode: 127, Pid: 0, Error: body.message })
    expect(server.networking.attached.size).toBe(0)
    expect(server.runtime.destroyed).toEqual([id])
  })

  it('refuses an ambiguous beginning of an id', async () => {
    const server = await openContainers()
    const ids = await Promise.all(Array.from({ length: 17 }, () => server.create({})))
    const first = ids.map((id) => id[0] ?? '')
    const twice = first.find((letter, index) => first.indexOf(letter) !== index) ?? ''
    expect(await server.get(`/containers/${twice}/json`)).toEqual({
      status: 400,
      body: { message: `Multiple IDs found with provided prefix: ${twice}` },
    })
  })

  it('renames, and tells the old name', async () => {
    const server = await openContainers()
    await server.create({}, '?name=old')
    await server.create({}, '?name=taken')
    const told = server.event('rename')
    expect((await server.post('/containers/old/rename?name=new')).status).toBe(204)
    expect(await told).toMatchObject({ name: 'new', oldName: '/old' })
    expect((await server.get('/containers/old/json')).status).toBe(404)
    expect((await server.post('/containers/new/rename?name=taken')).status).toBe(409)
    expect((await server.post('/containers/new/rename?name=new')).status).toBe(400)
    expect((await server.post('/containers/new/rename')).status).toBe(400)
    await server.create({}, '?name=old')
  })

  it('pauses and goes on, and refuses what a state does not allow', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] }, '?name=pp')
    expect((await server.post('/containers/pp/pause')).status).toBe(204)
    expect((await server.inspect(id)).State).toMatchObject({ Status: 'paused', Paused: true, Running: true })
    expect((await server.post('/containers/pp/pause')).body.message).toBe(`container ${id} is already paused`)
    expect((await server.post('/containers/pp/start')).status).toBe(409)
    expect((await server.delete('/containers/pp')).status).toBe(409)
    expect((await server.post('/containers/pp/unpause')).status).toBe(204)
    expect((await server.post('/containers/pp/unpause')).status).toBe(409)
    await server.post('/containers/pp/stop')
    expect((await server.post('/containers/pp/pause')).body.message).toBe(`container ${id} is not running`)
    expect((await server.post('/containers/pp/kill')).body.message).toBe(
      `cannot kill container: pp: container ${id} is not running`,
    )
  })

  it('joins namespaces only of containers that run', async () => {
    const server = await openContainers()
    const owner = await server.create({ Cmd: ['sleep'] }, '?name=owner')
    const id = await server.create({
      Cmd: ['sleep'],
      HostConfig: { NetworkMode: 'container:owner', PidMode: 'container:owner' },
    })
    expect((await server.post(`/containers/${id}/start`)).status).toBe(409)
    await server.post(`/containers/${owner}/start`)
    expect((await server.post(`/containers/${id}/start`)).status).toBe(204)
    const { Pid } = (await server.inspect(owner)).State
    expect(server.specs.built.at(-1)?.joined).toEqual({ network: Pid, pid: Pid })
    expect(server.networking.attached.has(id)).toBe(false)
    const missing = await server.post('/containers/create', {
      Image: 'busybox',
      HostConfig: { IpcMode: 'container:nobody' },
    })
    expect(missing.body.message).toBe('No such container: nobody')
  })

  it('links containers by name and by variables', async () => {
    const server = await openContainers()
    await server.run({ Cmd: ['sleep'], ExposedPorts: { '5432/tcp': {} } }, '?name=db')
    const id = await server.run({ Cmd: ['sleep'], HostConfig: { Links: ['db:store'] } }, '?name=app')
    const { HostsPath } = await server.inspect(id)
    expect(await readFile(HostsPath, 'utf8')).toMatch(/172\.17\.0\.2\tstore [0-9a-f]{12} db\n/)
    expect(server.runtime.created.at(-1)?.spec.process.env).toContain('STORE_PORT_5432_TCP_ADDR=172.17.0.2')
    expect((await server.delete('/containers/app%2Fstore?link=1')).status).toBe(204)
    expect((await server.inspect(id)).HostConfig.Links).toBeNull()
    expect((await server.delete('/containers/app%2Fstore?link=1')).status).toBe(404)
  })
})

// Requests that older clients and compose files make: what the whole engine makes of them.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
  await engine.run('1.47', 'sleeper')
})
afterAll(() => engine?.stop())

const create = (name: string, body: object) =>
  engine.call('POST', `/containers/create?name=${name}`, { Image: 'busybox', Cmd: ['sleep', '9'], ...body })
const inspect = async (id: string) => (await engine.call('GET', `/containers/${id}/json`)).body

describe('a running container', () => {
  it('is not killed by signal 0', async () => {
    const { status, body } = await engine.call('POST', '/containers/sleeper/kill?signal=0')
    expect([status, body.message]).toEqual([400, 'Invalid signal: 0'])
    expect((await inspect('sleeper')).State.Running).toBe(true)
  })

  it('is given a CPU quota, and freed of it by -1', async () => {
    const quota = async (CpuQuota: number) => {
      const { status, body } = await engine.call('POST', '/containers/sleeper/update', { CpuQuota })
      expect([status, body]).toEqual([200, { Warnings: [] }])
      const file = 'cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2> /dev/null'
      return (await engine.inside('sleeper', `(${file}) || true`)).split(/\s/)[0]
    }
    expect(await quota(20_000)).toBe('20000')
    expect(['-1', 'max']).toContain(await quota(-1))
    expect((await inspect('sleeper')).HostConfig.CpuQuota).toBe(-1)
    await engine.run('1.47', 'free', { HostConfig: { CpuQuota: -1 } })
  })

  it('becomes an image also when it ends at that moment', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await engine.run('1.47', `short-${round}`, { Cmd: ['true'] })
      const { status, body } = await engine.call('POST', `/commit?container=${id}&repo=short-${round}`)
      expect([status, body], `round ${round}`).toEqual([201, { Id: expect.stringMatching(/^sha256:/) }])
    }
    expect((await engine.call('POST', '/commit?container=sleeper&repo=slept')).status).toBe(201)
    expect((await inspect('sleeper')).State.Status).toBe('running')
  })
})

describe('a link', () => {
  it('to a container that is not there is refused as a wrong request: a 404 would have the client pull the image', async () => {
    const { status, body } = await create('lonely', { HostConfig: { Links: ['nosuch:x'] } })
    expect([status, body.message]).toEqual([400, 'could not get container for nosuch: No such container: nosuch'])
  })

  it('to a container of the host network is refused', async () => {
    await engine.run('1.47', 'on-host', { HostConfig: { NetworkMode: 'host' } })
    const { status, body } = await create('links-host', { HostConfig: { Links: ['on-host:there'] } })
    const words =
      "conflicting options: host type networking can't be used with links. This would result in undefined behavior"
    expect([status, body.message]).toEqual([400, words])
  })

  it('to a container that does not run lets nobody start, until it does', async () => {
    await engine.call('POST', '/containers/create?name=resting', { Image: 'busybox', Cmd: ['sleep', '3600'] })
    const { body } = await create('waits', { HostConfig: { Links: ['resting:other'] } })
    const { status, body: told } = await engine.call('POST', `/containers/${body.Id}/start`)
    const words = 'Cannot link to a non running container: /resting AS /waits/other'
    expect([status, told.message]).toEqual([500, words])
    expect((await inspect('waits')).State).toMatchObject({ Status: 'created', Running: false })
    expect((await engine.call('POST', '/containers/resting/start')).status).toBe(204)
    expect((await engine.call('POST', `/containers/${body.Id}/start`)).status).toBe(204)
  })

  it('on a network of its own may be to a container that is only made later', async () => {
    await engine.call('POST', '/networks/create', { Name: 'linking' })
    const HostConfig = { NetworkMode: 'linking', Links: ['made-later:alias'] }
    const NetworkingConfig = { EndpointsConfig: { linking: { Links: HostConfig.Links } } }
    const id = await engine.run('1.47', 'links-ahead', { HostConfig, NetworkingConfig })
    await engine.run('1.47', 'made-later', { HostConfig: { NetworkMode: 'linking' } })
    const address = (await inspect('made-later')).NetworkSettings.Networks.linking.IPAddress
    for (const name of ['made-later', 'alias']) expect(await engine.inside(id, `nslookup ${name}`)).toContain(address)
  })

  it('gives addresses, ports and variables of the other, in an exec too, and is taken away by its name', async () => {
    const ports = { '8000/tcp': {}, '8001/tcp': {}, '8002/tcp': {}, '53/udp': {} }
    await engine.run('1.47', 'data-base', { Env: ['COLOUR=red', 'PATH=/bin'], ExposedPorts: ports })
    const HostConfig = { Links: ['data-base:my-db'] }
    const Cmd = ['sh', '-c', 'env > /env; exec sleep 3600']
    await engine.run('1.47', 'user', { HostConfig, Cmd, Env: ['MY_DB_ENV_OWN=1', 'MY_DB_NAME=own'] })
    const address = (await inspect('data-base')).NetworkSettings.IPAddress
    const expected = [
      `MY_DB_PORT=udp://${address}:53`,
      `MY_DB_PORT_53_UDP=udp://${address}:53`,
      `MY_DB_PORT_8000_TCP=tcp://${address}:8000`,
      `MY_DB_PORT_8000_TCP_ADDR=${address}`,
      'MY_DB_PORT_8001_TCP_PORT=8001',
      'MY_DB_PORT_8002_TCP_PROTO=tcp',
      `MY_DB_PORT_8000_TCP_START=tcp://${address}:8000`,
      `MY_DB_PORT_8000_TCP_END=tcp://${address}:8002`,
      'MY_DB_PORT_8000_TCP_PORT_START=8000',
      'MY_DB_PORT_8000_TCP_PORT_END=8002',
      'MY_DB_NAME=own',
      'MY_DB_ENV_COLOUR=red',
    ]
    for (const script of ['cat /env', 'env']) {
      const lines = (await engine.inside('user', script)).split('\n')
      expect(lines, script).toEqual(expect.arrayContaining(expected))
      expect(lines.filter((line) => line.startsWith('MY_DB_ENV_PATH'))).toEqual([])
      expect(lines.filter((line) => line.startsWith('MY_DB_NAME'))).toEqual(['MY_DB_NAME=own'])
    }
    expect((await inspect('user')).HostConfig.Links).toEqual(['/data-base:/user/my-db'])
    const [row] = (await engine.call('GET', '/containers/json?filters={"name":["data-base"]}')).body
    expect(row.Names).toEqual(['/data-base', '/user/my-db'])
    expect((await inspect('user/my-db')).Id).toBe(row.Id)
    expect((await engine.call('DELETE', '/containers/user/my-db?link=1')).status).toBe(204)
    expect((await inspect('user')).HostConfig.Links ?? []).toEqual([])
    expect((await engine.call('DELETE', '/containers/user/my-db?link=1')).status).toBe(404)
  })
})

describe('what is said of a request', () => {
  it('that names neither an image nor a command', async () => {
    for (const settings of [{ Image: '' }, { Image: '', Cmd: [], Entrypoint: [] }]) {
      const { status, body } = await engine.call('POST', '/containers/create', settings)
      expect([status, body.message]).toEqual([400, 'no command specified'])
    }
  })

  it('that joins namespaces of containers that are not there, or do not run', async () => {
    const missing = await create('joins', { HostConfig: { PidMode: 'container:nosuch' } })
    expect([missing.status, missing.body.message]).toEqual([400, 'No such container: nosuch'])
    const { body: resting } = await create('rests', {})
    for (const [field, status, words] of [
      ['PidMode', 500, 'failed to join PID namespace: '],
      ['NetworkMode', 409, ''],
    ] as const) {
      const { body } = await create(`joins-${field}`, { HostConfig: { [field]: 'container:rests' } })
      const refused = await engine.call('POST', `/containers/${body.Id}/start`)
      const message = `${words}cannot join namespace of a non running container: container ${resting.Id} is not running`
      expect([refused.status, refused.body.message]).toEqual([status, message])
    }
  })

  it('that joins the network of a container that is only made later', async () => {
    const { status, body } = await create('before-late', { HostConfig: { NetworkMode: 'container:late' } })
    expect(status).toBe(201)
    expect((await inspect('before-late')).HostConfig.NetworkMode).toBe('container:late')
    const refused = await engine.call('POST', `/containers/${body.Id}/start`)
    expect([refused.status, refused.body.message]).toEqual([404, 'No such container: late'])
    await engine.run('1.47', 'late')
    const { body: alone } = await create('alone', { HostConfig: { NetworkMode: 'container:alone' } })
    const own = await engine.call('POST', `/containers/${alone.Id}/start`)
    expect([own.status, own.body.message]).toEqual([409, 'cannot join own network'])
    expect((await engine.call('POST', `/containers/${body.Id}/start`)).status).toBe(204)
    expect(await engine.inside(body.Id, 'cat /etc/hostname')).toBe(await engine.inside('late', 'cat /etc/hostname'))
  })

  it('with wrong annotations, a wrong place for a tmpfs, or no word as its command', async () => {
    const annotated = await create('annotated', { HostConfig: { Annotations: { '': 'a' } } })
    expect([annotated.status, annotated.body.message]).toEqual([
      400,
      'invalid Annotations: the empty string is not permitted as an annotation key',
    ])
    for (const [place, words] of [
      ['foo', 'mount path must be absolute'],
      ['//', "destination can't be '/'"],
    ] as const) {
      const { status, body } = await create('placed', { HostConfig: { Tmpfs: { [place]: '' } } })
      expect([status, body.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect((await create('silent', { Cmd: [''] })).status).toBe(201)
  })

  it('is tidied: the working folder, and mounts that are shown with the limits already', async () => {
    await create('tidy', { WorkingDir: '/tmp/../tmp/', Volumes: { '/v': {} }, HostConfig: { Tmpfs: { '/v/': '' } } })
    const { Config, Mounts } = await inspect('tidy')
    expect([Config.WorkingDir, Mounts]).toEqual(['/tmp', []])
  })
})

describe('a container of the host network', () => {
  it("has the host's names, and those it was given", async () => {
    const own = readFileSync('/etc/hosts', 'utf8')
    await engine.run('1.47', 'at-home', { HostConfig: { NetworkMode: 'host' } })
    expect(await engine.inside('at-home', 'cat /etc/hosts')).toBe(own)
    await engine.run('1.47', 'guest', { HostConfig: { NetworkMode: 'host', ExtraHosts: ['far:192.0.2.9'] } })
    expect(await engine.inside('guest', 'cat /etc/hosts')).toBe(`${own}192.0.2.9\tfar\n`)
  })
})

describe('a health check that takes too long', () => {
  it('is ended, and what it said until then is told', async () => {
    const [Interval, Timeout] = [100_000_000, 300_000_000]
    const Test = ['CMD', 'sh', '-c', 'echo so far; exec sleep 60']
    await engine.run('1.47', 'slow', { Healthcheck: { Test, Interval, Timeout, Retries: 1 } })
    await expect
      .poll(async () => (await inspect('slow')).State.Health.Log[0]?.Output)
      .toBe('Health check exceeded timeout (300ms): so far\n')
  })
})

describe('a range of ports', () => {
  it('may be as long as there are ports', async () => {
    const HostConfig = { PortBindings: rangeOf(1, 65_535) }
    const { status, body } = await create('all-ports', { HostConfig })
    expect([status, body.message]).toEqual([201, undefined])
    expect(Object.keys((await inspect('all-ports')).HostConfig.PortBindings)).toHaveLength(65_535)
  })

  it('of thousands is published, and free again afterwards', async () => {
    const HostConfig = { PortBindings: rangeOf(20_000, 25_000, 'udp') }
    for (const name of ['calls', 'calls-again']) {
      const id = await engine.run('1.47', name, { HostConfig })
      expect((await inspect(id)).NetworkSettings.Ports['25000/udp']?.[0].HostPort).toBe('25000')
      expect((await engine.call('DELETE', `/containers/${id}?force=1`)).status).toBe(204)
    }
  })
})

const rangeOf = (from: number, to: number, protocol = 'tcp') =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, at) => [`${from + at}/${protocol}`, [{ HostPort: String(from + at) }]]),
  )

describe('a network', () => {
  it('may be missing when a container is created, not when it starts', async () => {
    const { status, body } = await create('early', { HostConfig: { NetworkMode: 'later' } })
    expect(status).toBe(201)
    const refused = await engine.call('POST', '/containers/early/start')
    expect([refused.status, refused.body.message]).toEqual([404, 'network later not found'])
    expect((await inspect('early')).State.Status).toBe('created')
    expect((await engine.call('POST', '/networks/create', { Name: 'later' })).status).toBe(201)
    expect((await engine.call('POST', '/containers/early/start')).status).toBe(204)
    expect(Object.keys((await inspect(body.Id)).NetworkSettings.Networks)).toEqual(['later'])
  })

  it('without IPv6 keeps an IPv6 subnet for show', async () => {
    const Config = [{ Subnet: '192.0.2.0/24' }, { Subnet: '2001:db8::/64' }]
    for (const Name of ['one', 'two']) {
      const mine = Name === 'one' ? Config : [{ Subnet: '198.51.100.0/24' }, { Subnet: '2001:db8::/64' }]
      const { status, body } = await engine.call('POST', '/networks/create', { Name, IPAM: { Config: mine } })
      expect([status, body.message]).toEqual([201, undefined])
    }
    const { body } = await engine.call('GET', '/networks/one')
    expect([body.EnableIPv6, body.IPAM.Config[1].Subnet]).toEqual([false, '2001:db8::/64'])
    await engine.run('1.47', 'on-one', { HostConfig: { NetworkMode: 'one' } })
    expect((await inspect('on-one')).NetworkSettings.Networks.one).toMatchObject({ GlobalIPv6Address: '' })
  })

  it('takes the settings of an interface as the client writes them, in small letters', async () => {
    const settings = 'net.ipv4.conf.ifname.log_martians=1,net.ipv4.conf.IFNAME.forwarding=0'
    const EndpointsConfig = { bridge: { DriverOpts: { 'com.docker.network.endpoint.sysctls': settings } } }
    await engine.run('1.47', 'tuned', { NetworkingConfig: { EndpointsConfig } })
    const script = 'cd /proc/sys/net/ipv4/conf/eth0; cat log_martians forwarding'
    expect(await engine.inside('tuned', script)).toBe('1\n0\n')
  })
})

describe('an image', () => {
  it('takes variables in the changes of a commit', async () => {
    const changes = [`ENV PATH=/x:$PATH A=\${B:-b} C='$PATH' D="\\$A"`, 'WORKDIR $A/sub', `LABEL of=\${PATH}`]
    const query = changes.map((line) => `changes=${encodeURIComponent(line)}`).join('&')
    expect((await engine.call('POST', `/commit?container=sleeper&repo=changed&${query}`)).status).toBe(201)
    const { Config } = (await engine.call('GET', '/images/changed/json')).body
    expect(Config.Env).toEqual(['PATH=/x:/bin', 'A=b', 'C=$PATH', 'D=$A'])
    expect([Config.WorkingDir, Config.Labels.of]).toEqual(['/b/sub', '/x:/bin'])
  })

  it('is not given a name that reads as a digest', async () => {
    const words = 'refusing to create an ambiguous tag using digest algorithm as name'
    for (const path of ['/images/busybox/tag?repo=sha256&tag=some', '/commit?container=sleeper&repo=sha256']) {
      const { status, body } = await engine.call('POST', path)
      expect([status, body.message], path).toEqual([400, words])
    }
  })
})

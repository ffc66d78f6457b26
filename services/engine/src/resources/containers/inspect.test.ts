// Inspecting containers over HTTP: what was asked for is read back, what was left open has docker's defaults.
import { describe, expect, it } from 'vitest'
import { openContainers } from './testing/containers-server.ts'

describe('inspect', () => {
  it('fills in what was left open', async () => {
    const server = await openContainers()
    const id = await server.create({}, '?name=plain')
    const inspected = await server.inspect(id)
    expect(inspected).toMatchObject({
      Id: id,
      Name: '/plain',
      Path: 'sh',
      Args: [],
      Driver: 'overlay2',
      Platform: 'linux',
      RestartCount: 0,
      ExecIDs: null,
      LogPath: `${server.folder}/containers/${id}/log.json`,
      HostsPath: `${server.folder}/containers/${id}/hosts`,
      State: { Status: 'created', StartedAt: '0001-01-01T00:00:00Z', FinishedAt: '0001-01-01T00:00:00Z', Pid: 0 },
      GraphDriver: { Name: 'overlay2', Data: { LowerDir: '/layers/1' } },
      Config: {
        Hostname: id.slice(0, 12),
        Env: ['PATH=/bin'],
        Cmd: ['sh'],
        Image: 'busybox',
        Entrypoint: null,
        Labels: {},
      },
      HostConfig: {
        NetworkMode: 'bridge',
        IpcMode: 'private',
        CgroupnsMode: 'host',
        ShmSize: 67108864,
        Runtime: 'crun',
        RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
        LogConfig: { Type: 'json-file', Config: {} },
        PidsLimit: null,
        MemorySwappiness: null,
        Binds: null,
        ConsoleSize: [0, 0],
      },
      NetworkSettings: { Ports: {}, Networks: { bridge: { NetworkID: 'id-of-bridge', EndpointID: '' } } },
    })
    expect(inspected.HostConfig.MaskedPaths).toContain('/proc/kcore')
    expect(inspected.HostConfig.ReadonlyPaths).toContain('/proc/sys')
    for (const absent of ['KernelMemory', 'KernelMemoryTCP']) expect(absent in inspected.HostConfig).toBe(false)
    for (const absent of ['SizeRw', 'SizeRootFs', 'Size']) expect(absent in inspected).toBe(false)
    const open = await server.inspect(await server.create({ HostConfig: { Privileged: true } }))
    expect([open.HostConfig.MaskedPaths, open.HostConfig.ReadonlyPaths]).toEqual([null, null])
  })

  it('reads back the configuration', async () => {
    const server = await openContainers()
    const config = {
      ExposedPorts: { '80/tcp': {}, '5000/sctp': {} },
      StopSignal: 'SIGUSR1',
      StopTimeout: 0,
      Tty: true,
      OpenStdin: true,
      User: 'nobody:nogroup',
      WorkingDir: '/srv',
      Domainname: 'example.org',
    }
    expect((await server.inspect(await server.create(config))).Config).toMatchObject(config)
    expect((await server.post('/containers/create', { Image: 'busybox', StopSignal: 'SIGODD' })).status).toBe(400)
  })

  it('shows every network of a container', async () => {
    const server = await openContainers()
    const id = await server.run({
      Cmd: ['sleep'],
      HostConfig: { NetworkMode: 'mine' },
      NetworkingConfig: {
        EndpointsConfig: {
          mine: {
            MacAddress: '02:00:00:00:00:01',
            Aliases: ['a'],
            IPAMConfig: { IPv4Address: '10.0.0.9', IPv6Address: 'fd00::9' },
          },
          other: { MacAddress: '02:00:00:00:00:02' },
        },
      },
    })
    const { Networks } = (await server.inspect(id)).NetworkSettings
    expect(Networks).toMatchObject({
      mine: {
        NetworkID: 'id-of-mine',
        MacAddress: '02:00:00:00:00:01',
        Aliases: ['a'],
        IPAMConfig: { IPv4Address: '10.0.0.9', IPv6Address: 'fd00::9' },
        DNSNames: expect.any(Array),
      },
      other: { NetworkID: 'id-of-other', MacAddress: '02:00:00:00:00:02' },
    })
    await server.post(`/containers/${id}/stop`)
    const rested = (await server.inspect(id)).NetworkSettings.Networks.mine
    expect(rested).toMatchObject({
      IPAddress: '',
      EndpointID: '',
      MacAddress: '02:00:00:00:00:01',
      NetworkID: 'id-of-mine',
    })
    const many = { Image: 'busybox', NetworkingConfig: { EndpointsConfig: { mine: {}, other: {} } } }
    expect((await server.post('/v1.43/containers/create', many)).body.message).toBe(
      'Container cannot be created with multiple network endpoints: mine, other',
    )
  })

  it('takes log options, tells the shim, and refuses those that mean nothing', async () => {
    const server = await openContainers()
    const create = (Type: string, Config: object) =>
      server.post('/containers/create', {
        Image: 'busybox',
        Cmd: ['sleep'],
        HostConfig: { LogConfig: { Type, Config } },
      })
    const { body } = await create('json-file', {
      mode: 'non-blocking',
      'max-buffer-size': '4m',
      'max-size': '10k',
      'max-file': '3',
    })
    expect(body.Warnings).toEqual([])
    await server.post(`/containers/${body.Id}/start`)
    expect(server.runtime.created.at(-1)?.log).toMatchObject({
      maxBytes: 10240,
      maxFiles: 3,
      bufferBytes: 4 * 1024 ** 2,
    })
    expect((await create('json-file', { mode: 'blocking' })).status).toBe(201)
    const none = (await create('none', {})).body.Id
    await server.post(`/containers/${none}/start`)
    expect(server.runtime.created.at(-1)?.log.path).toBeUndefined()
    expect((await server.inspect(none)).LogPath).toBe('')
    for (const [type, config] of [
      ['json-file', { mode: 'odd' }],
      ['json-file', { odd: '1' }],
      ['local', { 'max-size': 'big' }],
      ['carrier-pigeon', {}],
    ] as const) {
      expect((await create(type, config)).status).toBe(400)
    }
  })

  it('refuses options that contradict the network of the container', async () => {
    const server = await openContainers()
    await server.create({}, '?name=other')
    const problems = async (config: object, hostConfig: object) =>
      (
        await server.post('/containers/create', { Image: 'busybox', ...config, HostConfig: hostConfig })
      ).body.message.split('\n')
    const joined = {
      NetworkMode: 'container:other',
      Dns: ['1.1.1.1'],
      ExtraHosts: ['a:1.2.3.4'],
      PublishAllPorts: true,
    }
    expect(await problems({ Hostname: 'x', ExposedPorts: { '1/tcp': {} } }, joined)).toHaveLength(5)
    expect(await problems({ MacAddress: '02:00:00:00:00:01' }, { NetworkMode: 'host' })).toHaveLength(1)
    expect(
      await problems({ ExposedPorts: { odd: {} } }, { PortBindings: { '80/tcp': [{ HostPort: 'x', HostIp: 'y' }] } }),
    ).toHaveLength(3)
    expect(await problems({}, { Dns: ['odd'], ExtraHosts: ['odd'], Runtime: 'odd', Isolation: 'hyperv' })).toHaveLength(
      4,
    )
  })
})

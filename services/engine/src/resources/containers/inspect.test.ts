// Inspecting containers over HTTP: what was asked for is read back, what was left open has docker's defaults.
import { describe, expect, it } from 'vitest'
import { withDefaults } from './host-config.ts'
import { openContainers } from './testing/containers-server.ts'

describe('inspect', () => {
  it('ENG-142 ENG-247 ENG-223 ENG-236 fills in what was left open', async () => {
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

  it('ENG-143 has the IPC mode that the engine is set to', () => {
    const defaults = { cgroupnsMode: 'host', runtime: 'crun', runtimes: ['crun'], hostname: '' } as const
    const modeOf = (ipcMode: 'private' | 'shareable', asked: object) =>
      withDefaults(asked as never, { ...defaults, ipcMode }).IpcMode
    expect([modeOf('private', {}), modeOf('shareable', {})]).toEqual(['private', 'shareable'])
    expect(modeOf('shareable', { IpcMode: 'none' })).toBe('none')
  })

  it('ENG-232 ENG-233 ENG-234 ENG-235 tells sizes when asked', async () => {
    const server = await openContainers()
    const id = await server.create({})
    expect((await server.get(`/containers/${id}/json?size=1`)).body).toMatchObject({
      SizeRw: 5,
      SizeRootFs: 15,
      Size: 15,
    })
  })

  it('ENG-220 ENG-221 ENG-224 ENG-237 ENG-238 ENG-240 ENG-241 ENG-242 ENG-244 ENG-245 ENG-246 ENG-249 ENG-250 ENG-251 ENG-252 ENG-253 ENG-256 ENG-257 ENG-260 ENG-262 ENG-263 ENG-264 ENG-265 ENG-266 ENG-267 ENG-268 ENG-269 ENG-270 ENG-271 ENG-272 reads back every setting of the host', async () => {
    const server = await openContainers()
    const device = [{ Path: '/dev/null', Rate: 1000 }]
    const hostConfig = {
      Binds: ['/tmp:/x'],
      Mounts: [
        { Type: 'tmpfs', Target: '/t', TmpfsOptions: { SizeBytes: 4096, Mode: 448, Options: [['noexec']] } },
        { Type: 'volume', Source: 'v', Target: '/v', VolumeOptions: { Subpath: 'a/b' }, Consistency: 'cached' },
        {
          Type: 'bind',
          Source: '/tmp',
          Target: '/b',
          ReadOnly: true,
          BindOptions: { NonRecursive: true, CreateMountpoint: true, ReadOnlyNonRecursive: true },
        },
        { Type: 'bind', Source: '/tmp', Target: '/c', ReadOnly: true, BindOptions: { ReadOnlyForceRecursive: true } },
      ],
      Annotations: { a: 'b' },
      AutoRemove: true,
      BlkioDeviceReadBps: device,
      BlkioDeviceWriteBps: device,
      BlkioDeviceReadIOps: device,
      BlkioDeviceWriteIOps: device,
      CapAdd: ['NET_ADMIN'],
      CgroupParent: '/mine',
      CgroupnsMode: 'private',
      ConsoleSize: [24, 80],
      CpuCount: 2,
      CpuPeriod: 100000,
      CpuQuota: 50000,
      CpuRealtimePeriod: 1000000,
      CpuRtRuntime: 1000,
      CpuShares: 512,
      DeviceCgroupRules: ['c 1:3 mr'],
      DeviceRequests: [{ Driver: 'gpu', Count: -1, Capabilities: [['gpu']] }],
      Devices: [{ PathOnHost: '/dev/null', PathInContainer: '/dev/mine', CgroupPermissions: 'r' }],
      DnsOptions: ['ndots:2'],
      GroupAdd: ['audio'],
      IOMaximumBandwidth: 7,
      IOMaximumIOps: 8,
      Init: true,
      KernelMemoryTCP: 4194304,
      OomScoreAdj: 100,
      PidsLimit: 50,
      Privileged: true,
      Sysctls: { 'net.ipv4.ip_forward': '1' },
      Ulimits: [{ Name: 'nofile', Soft: 10, Hard: 20 }],
      UsernsMode: 'host',
      VolumeDriver: 'local',
    }
    const id = await server.create({ HostConfig: hostConfig })
    const { HostConfig } = await server.inspect(id)
    expect(HostConfig).toMatchObject(hostConfig)
    expect(HostConfig.CpuRealtimeRuntime).toBe(1000)
  })

  it('ENG-255 reads back a limit in parts of a CPU', async () => {
    const server = await openContainers()
    const id = await server.create({ HostConfig: { NanoCpus: 5e8 } })
    expect((await server.inspect(id)).HostConfig.NanoCpus).toBe(5e8)
  })

  it('ENG-146 ENG-248 ENG-258 reads back whose namespaces are used', async () => {
    const server = await openContainers()
    const other = await server.create({}, '?name=other')
    const modes = async (hostConfig: object) =>
      (await server.inspect(await server.create({ HostConfig: hostConfig }))).HostConfig
    for (const IpcMode of ['private', 'shareable', 'none', 'host', 'container:other']) {
      expect((await modes({ IpcMode })).IpcMode).toBe(IpcMode)
    }
    for (const PidMode of ['host', 'container:other', `container:${other}`]) {
      expect((await modes({ PidMode })).PidMode).toBe(PidMode)
    }
    expect((await modes({ CgroupnsMode: 'private' })).CgroupnsMode).toBe('private')
    expect((await server.post('/containers/create', { Image: 'busybox', HostConfig: { IpcMode: 'odd' } })).status).toBe(
      400,
    )
  })

  it('ENG-254 ENG-261 reads back the configuration', async () => {
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

  it('ENG-213 ENG-214 ENG-226 ENG-227 shows every network of a container', async () => {
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
      'Container cannot be connected to network endpoints: mine, other',
    )
  })

  it('ENG-215 ENG-216 ENG-217 ENG-218 ENG-219 ENG-228 ENG-229 ENG-230 ENG-231 ENG-118 still has the deprecated fields', async () => {
    const server = await openContainers()
    const { body } = await server.post('/containers/create', {
      Image: 'busybox',
      Cmd: ['sleep'],
      MacAddress: '02:00:00:00:00:09',
    })
    expect(body.Warnings).toEqual([
      'The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.',
    ])
    await server.post(`/containers/${body.Id}/start`)
    expect((await server.inspect(body.Id)).NetworkSettings).toMatchObject({
      Gateway: '172.17.0.1',
      IPAddress: '172.17.0.2',
      IPPrefixLen: 16,
      MacAddress: '02:00:00:00:00:09',
      HairpinMode: false,
      LinkLocalIPv6Address: '',
      LinkLocalIPv6PrefixLen: 0,
      SecondaryIPAddresses: null,
      SecondaryIPv6Addresses: null,
    })
    expect(
      (await server.post('/v1.43/containers/create', { Image: 'busybox', MacAddress: '02:00:00:00:00:09' })).body
        .Warnings,
    ).toEqual([])
    const odd = {
      Image: 'busybox',
      MacAddress: '02:00:00:00:00:09',
      NetworkingConfig: { EndpointsConfig: { bridge: { MacAddress: '02:00:00:00:00:08' } } },
    }
    expect((await server.post('/containers/create', odd)).status).toBe(400)
  })

  it('ENG-105 ENG-106 moves sysctls of the first interface to its endpoint for callers up to 1.46', async () => {
    const server = await openContainers()
    const body = {
      Image: 'busybox',
      HostConfig: { Sysctls: { 'net.ipv4.conf.eth0.log_martians': '1', 'kernel.msgmax': '2' } },
    }
    const create = async (version: string) => {
      const answer = (await server.post(`${version}/containers/create`, body)).body
      return { inspected: await server.inspect(answer.Id), warnings: answer.Warnings }
    }
    const old = await create('/v1.46')
    expect(old.inspected.HostConfig.Sysctls).toEqual({ 'kernel.msgmax': '2' })
    expect(old.inspected.NetworkSettings.Networks.bridge.DriverOpts).toEqual({
      'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.IFNAME.log_martians=1',
    })
    expect(old.warnings).toHaveLength(1)
    const today = await server.post('/v1.47/containers/create', body)
    expect([today.status, today.body.message]).toEqual([
      400,
      expect.stringContaining('must be supplied using driver option'),
    ])
  })

  it('ENG-164 ENG-165 ENG-166 takes log options, tells the shim, and refuses those that mean nothing', async () => {
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

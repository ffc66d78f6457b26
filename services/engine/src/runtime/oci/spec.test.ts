import { describe, expect, it } from 'vitest'
import { capabilityNames } from './capability-names.ts'
import type { DeviceNode } from './device-nodes.ts'
import { buildExecProcess } from './process.ts'
import { buildSpec } from './spec.ts'
import { type Asked, specInput, testHost, testId } from './testing/spec-input.ts'

const without = (missing: string) => new Set(capabilityNames.filter((name) => name !== missing))
const build = (asked: Asked = {}) => buildSpec(specInput(asked))
const specOf = (asked: Asked = {}) => build(asked).spec
const namespaces = (hostConfig: object, rest: Asked = {}) =>
  specOf({ hostConfig, ...rest }).linux.namespaces.map(({ type, path }) =>
    path === undefined ? type : `${type} ${path}`,
  )
const mountAt = (place: string, asked: Asked) => specOf(asked).mounts.find(({ destination }) => destination === place)
const block = (path: string, major: number, minor: number): DeviceNode => ({
  path,
  type: 'b',
  major,
  minor,
  fileMode: 0o660,
  uid: 0,
  gid: 6,
})

describe('namespaces', () => {
  it.each([
    ['private ones of everything but control groups', {}, ['mount', 'network', 'pid', 'ipc', 'uts']],
    [
      'an own control group namespace',
      { CgroupnsMode: 'private' },
      ['mount', 'network', 'pid', 'ipc', 'uts', 'cgroup'],
    ],
    ['the host control group namespace', { CgroupnsMode: 'host' }, ['mount', 'network', 'pid', 'ipc', 'uts']],
    ['those of the host', { NetworkMode: 'host', PidMode: 'host', IpcMode: 'host', UTSMode: 'host' }, ['mount']],
    ['private IPC', { IpcMode: 'private' }, ['mount', 'network', 'pid', 'ipc', 'uts']],
  ])('%s', (_, hostConfig, expected) => {
    expect(namespaces(hostConfig)).toEqual(expected)
  })

  it('has a control group namespace of its own where control groups are of version 2', () => {
    expect(namespaces({}, { host: testHost({ cgroupVersion: 2 }) })).toContain('cgroup')
  })

  it('joins those of other containers by their processes', () => {
    const modes = { NetworkMode: 'container:a', PidMode: 'container:b', IpcMode: 'container:c' }
    expect(namespaces(modes, { joined: { network: 11, pid: 12, ipc: 13 } })).toEqual([
      'mount',
      'network /proc/11/ns/net',
      'pid /proc/12/ns/pid',
      'ipc /proc/13/ns/ipc',
      'uts',
    ])
    expect(() => namespaces({ PidMode: 'container:b' })).toThrow(
      'cannot join the pid namespace of a non running container: b',
    )
  })
})

describe('capabilities', () => {
  const bounding = (hostConfig: object, held: readonly string[] = capabilityNames) => {
    const { spec, warnings } = build({ hostConfig, host: testHost({ capabilities: new Set(held) }) })
    return { names: spec.process.capabilities?.bounding ?? [], warnings }
  }

  it('adds and drops by any spelling', () => {
    const { names } = bounding({ CapAdd: ['net_admin', 'CAP_SYS_TIME'], CapDrop: ['MKNOD', 'cap_chown'] })
    expect(names).toEqual(expect.arrayContaining(['CAP_NET_ADMIN', 'CAP_SYS_TIME', 'CAP_KILL']))
    expect(names).not.toContain('CAP_MKNOD')
    expect(names).not.toContain('CAP_CHOWN')
    expect(names).toHaveLength(14)
  })

  it('takes all, all but some, none but some', () => {
    expect(bounding({ CapAdd: ['ALL'] }).names).toEqual(capabilityNames)
    expect(bounding({ CapAdd: ['ALL'], CapDrop: ['SYS_ADMIN'] }).names).toHaveLength(capabilityNames.length - 1)
    expect(bounding({ CapDrop: ['ALL'], CapAdd: ['CHOWN'] }).names).toEqual(['CAP_CHOWN'])
  })

  it('gives a privileged container what the engine holds, and says what it lacks', () => {
    const held = capabilityNames.filter((name) => name !== 'CAP_SYS_RESOURCE')
    const { names, warnings } = bounding({ Privileged: true }, held)
    expect(names).toEqual(held)
    expect(warnings).toEqual([expect.stringContaining('CAP_SYS_RESOURCE')])
  })

  it('leaves those who are not root none to use', () => {
    const { capabilities } = specOf({ config: { User: '1000' } }).process
    expect(capabilities).toMatchObject({ effective: [], permitted: [], inheritable: [], ambient: [] })
    expect(capabilities?.bounding).toHaveLength(14)
  })
})

describe('limits', () => {
  it('carries memory, processors and processes', () => {
    const hostConfig = {
      Memory: 64 << 20,
      MemoryReservation: 32 << 20,
      NanoCpus: 1_500_000_000,
      PidsLimit: 7,
      CpuShares: 512,
    }
    expect(specOf({ hostConfig }).linux.resources).toMatchObject({
      memory: { limit: 64 << 20, swap: 128 << 20, reservation: 32 << 20 },
      cpu: { quota: 150_000, period: 100_000, shares: 512 },
      pids: { limit: 7 },
    })
    expect(specOf({ hostConfig: { CpuPeriod: 50_000, CpuQuota: 25_000 } }).linux.resources.cpu).toEqual({
      period: 50_000,
      quota: 25_000,
    })
    expect(specOf({ hostConfig: { Memory: 64 << 20, MemorySwap: -1 } }).linux.resources.memory?.swap).toBe(-1)
  })

  it.each([0, -1])('takes a PidsLimit of %i for unlimited', (PidsLimit) => {
    expect(specOf({ hostConfig: { PidsLimit } }).linux.resources.pids).toEqual({ limit: -1 })
  })

  it('carries TCP memory and realtime', () => {
    const { memory, cpu } = specOf({
      hostConfig: { KernelMemoryTCP: 8 << 20, CpuRealtimePeriod: 1_000_000, CpuRealtimeRuntime: 950_000 },
    }).linux.resources
    expect(memory).toEqual({ kernelTCP: 8 << 20 })
    expect(cpu).toEqual({ realtimePeriod: 1_000_000, realtimeRuntime: 950_000 })
  })

  it('names block devices by their numbers', () => {
    const devices = { named: new Map(), blocks: new Map([['/dev/vda', block('/dev/vda', 254, 0)]]), all: [] }
    const rate = [{ Path: '/dev/vda', Rate: 1_048_576 }]
    const hostConfig = {
      BlkioDeviceReadBps: rate,
      BlkioDeviceWriteBps: rate,
      BlkioDeviceReadIOps: rate,
      BlkioDeviceWriteIOps: rate,
    }
    const given = [{ major: 254, minor: 0, rate: 1_048_576 }]
    expect(specOf({ hostConfig, devices }).linux.resources.blockIO).toEqual({
      throttleReadBpsDevice: given,
      throttleWriteBpsDevice: given,
      throttleReadIOPSDevice: given,
      throttleWriteIOPSDevice: given,
    })
    expect(() => specOf({ hostConfig })).toThrow('/dev/vda: there is no block device of this name')
  })

  it('leaves out what the kernel lacks, and says so', () => {
    const host = testHost({ controls: new Set(['memory']) })
    const { spec, warnings } = build({ host, hostConfig: { Memory: 64 << 20, MemorySwap: 80 << 20, BlkioWeight: 100 } })
    expect(spec.linux.resources.memory).toEqual({ limit: 64 << 20 })
    expect(spec.linux.resources.blockIO).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('block I/O weight'), expect.stringContaining('without swap')])
  })

  it('lowers ulimits to what the engine may give', () => {
    const host = testHost({ capabilities: without('CAP_SYS_RESOURCE'), hardLimits: { NOFILE: 20_000 } })
    const { spec, warnings } = build({ host, hostConfig: { Ulimits: [{ Name: 'nofile', Soft: 1_000, Hard: 65_536 }] } })
    expect(spec.process.rlimits).toEqual([{ type: 'RLIMIT_NOFILE', soft: 1_000, hard: 20_000 }])
    expect(warnings).toEqual([expect.stringContaining('lowered to 1000:20000')])
  })

  it('writes an unlimited ulimit exactly', () => {
    const { rlimits } = specOf({ hostConfig: { Ulimits: [{ Name: 'core', Soft: -1, Hard: -1 }] } }).process
    expect(JSON.stringify(rlimits)).toContain('"soft":18446744073709551615,"hard":18446744073709551615')
  })

  it('raises an OomScoreAdj that it may not give', () => {
    const host = testHost({ capabilities: without('CAP_SYS_RESOURCE') })
    expect(build({ host, hostConfig: { OomScoreAdj: 300 } }).spec.process.oomScoreAdj).toBe(300)
    const { spec, warnings } = build({ host, hostConfig: { OomScoreAdj: -300 } })
    expect(spec.process.oomScoreAdj).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('raised to 0')])
  })

  it('puts the container below the control group it names', () => {
    expect(specOf().linux.cgroupsPath).toBe(`/atoll/${testId}`)
    expect(specOf({ hostConfig: { CgroupParent: 'mine/of' } }).linux.cgroupsPath).toBe(`/mine/of/${testId}`)
  })
})

describe('the process', () => {
  it('has the hostname alone as its name, and the domain apart', () => {
    const spec = specOf({ config: { Hostname: 'web', Domainname: 'example.org' } })
    expect(spec.hostname).toBe('web')
    expect(spec.linux.sysctl).toEqual({ 'kernel.domainname': 'example.org' })
    expect(specOf().hostname).toBe(testId.slice(0, 12))
    expect(specOf({ hostConfig: { UTSMode: 'host' } }).hostname).toBeUndefined()
  })

  it('has the path, the name, the terminal and the home, under what the caller says', () => {
    expect(specOf({ config: { Tty: true, Env: ['A=1', 'PATH=/x', 'TERM'] } }).process.env).toEqual([
      'PATH=/x',
      `HOSTNAME=${testId.slice(0, 12)}`,
      'A=1',
      'HOME=/root',
    ])
    expect(specOf({ config: { Tty: true } }).process.env).toContain('TERM=xterm')
  })

  it('has the size of its terminal', () => {
    expect(specOf({ config: { Tty: true }, hostConfig: { ConsoleSize: [24, 80] } }).process.consoleSize).toEqual({
      height: 24,
      width: 80,
    })
    expect(specOf({ hostConfig: { ConsoleSize: [24, 80] } }).process.consoleSize).toBeUndefined()
  })

  it('has an init before it when asked, unless it is not the first process', () => {
    const spec = specOf({ hostConfig: { Init: true }, args: ['-c', 'true'] })
    expect(spec.process.args).toEqual(['/sbin/docker-init', '--', '/bin/sh', '-c', 'true'])
    expect(spec.mounts).toContainEqual({
      destination: '/sbin/docker-init',
      type: 'bind',
      source: '/usr/bin/tini-static',
      options: ['bind', 'ro'],
    })
    expect(specOf({ hostConfig: { Init: true, PidMode: 'host' } }).process.args).toEqual(['/bin/sh'])
  })

  it('carries annotations and kernel parameters, and takes the host user namespace', () => {
    const spec = specOf({
      hostConfig: {
        Annotations: { 'org.example': 'yes' },
        Sysctls: { 'net/ipv4/ip_forward': '1' },
        UsernsMode: 'host',
      },
    })
    expect(spec.annotations).toEqual({ 'org.example': 'yes' })
    expect(spec.linux.sysctl).toEqual({ 'net.ipv4.ip_forward': '1' })
  })

  it('cannot gain privileges when told so', () => {
    for (const option of ['no-new-privileges', 'no-new-privileges:true', 'no-new-privileges=1']) {
      expect(specOf({ hostConfig: { SecurityOpt: [option] } }).process.noNewPrivileges).toBe(true)
    }
    expect(specOf().process.noNewPrivileges).toBe(false)
  })

  it('is followed by others that have what it has, and all of the engine when privileged', () => {
    const { container, host, identity } = specInput({
      config: { Env: ['A=1', 'B=1'], User: '5', WorkingDir: '/w' },
      hostConfig: { CapAdd: ['NET_ADMIN'] },
    })
    const plain = buildExecProcess({ container, host, identity, exec: { cmd: ['ls'], tty: false, env: ['B=2'] } })
    expect(plain).toMatchObject({ args: ['ls'], cwd: '/w', user: { uid: 5, gid: 0 }, terminal: false })
    expect(plain.env).toEqual(expect.arrayContaining(['A=1', 'B=2']))
    expect(plain.capabilities?.bounding).toContain('CAP_NET_ADMIN')
    const exec = {
      cmd: ['ls'],
      tty: true,
      user: '0',
      privileged: true,
      workingDir: '/',
      consoleSize: [10, 20] as const,
    }
    const privileged = buildExecProcess({ container, host, identity, exec })
    expect(privileged.capabilities?.effective).toEqual(capabilityNames)
    expect(privileged).toMatchObject({ cwd: '/', consoleSize: { height: 10, width: 20 } })
    expect(privileged.env).toContain('TERM=xterm')
  })
})

describe('devices', () => {
  const fuse: DeviceNode = { path: '/dev/fuse', type: 'c', major: 10, minor: 229, fileMode: 0o666, uid: 0, gid: 0 }

  it('are those asked for, with their permissions, and the rules asked for', () => {
    const spec = specOf({
      hostConfig: {
        Devices: [{ PathOnHost: '/dev/fuse', PathInContainer: '/dev/x', CgroupPermissions: 'r' }],
        DeviceCgroupRules: ['c 42:* rwm'],
      },
      devices: { named: new Map([['/dev/fuse', { top: '/dev/fuse', nodes: [fuse] }]]), blocks: new Map(), all: [] },
    })
    expect(spec.linux.devices).toEqual([{ ...fuse, path: '/dev/x' }])
    expect(spec.linux.resources.devices?.[0]).toEqual({ allow: false, access: 'rwm' })
    expect(spec.linux.resources.devices?.slice(-2)).toEqual([
      { allow: true, type: 'c', major: 10, minor: 229, access: 'r' },
      { allow: true, type: 'c', major: 42, access: 'rwm' },
    ])
    expect(() => specOf({ hostConfig: { Devices: [{ PathOnHost: '/dev/none' }] } })).toThrow('no such device')
  })

  it('of a request are given where the host has them, and refused in clear words where not', () => {
    const gpu: DeviceNode = { ...fuse, path: '/dev/nvidia0', major: 195, minor: 0 }
    const control: DeviceNode = { ...fuse, path: '/dev/nvidiactl', major: 195, minor: 255 }
    const hostConfig = { DeviceRequests: [{ Count: -1, Capabilities: [['gpu']] }] }
    const given = specOf({ hostConfig, host: testHost({ gpus: [gpu], gpuControls: [control] }) }).linux.devices
    expect(given?.map(({ path }) => path)).toEqual(['/dev/nvidia0', '/dev/nvidiactl'])
    expect(() => specOf({ hostConfig })).toThrow('could not select device driver "" with capabilities: [[gpu]]')
  })
})

describe('mounts', () => {
  it('have no shared memory without communication, and the size asked for with it', () => {
    expect(mountAt('/dev/shm', { hostConfig: { IpcMode: 'none' } })).toBeUndefined()
    expect(mountAt('/dev/shm', { hostConfig: { ShmSize: 1_000_000 } })?.options).toContain('size=1000000')
    expect(mountAt('/dev/shm', { hostConfig: {} })?.options).toContain('size=67108864')
    expect(mountAt('/dev/shm', { hostConfig: { IpcMode: 'shareable' }, sharedMemory: '/dev/shm/one' })?.source).toBe(
      '/dev/shm/one',
    )
  })

  const bind = {
    Type: 'bind' as const,
    Source: '/src',
    Destination: '/to',
    Mode: '',
    RW: false,
    Propagation: 'rprivate',
  }

  it.each([
    ['read-only all the way down', {}, testHost(), ['rbind', 'rprivate', 'rro']],
    ['read-only at the top', { readOnlyNonRecursive: true }, testHost(), ['rbind', 'rprivate', 'ro']],
    ['read-only all the way down by force', { readOnlyForceRecursive: true }, testHost(), ['rbind', 'rprivate', 'rro']],
    ['ENG-728 read-only at the top on an older kernel', {}, testHost({ kernel: [5, 11] }), ['rbind', 'rprivate', 'ro']],
    ['without what is mounted below', { nonRecursive: true }, testHost(), ['bind', 'private', 'rro']],
  ])('%s', (_, options, host, expected) => {
    expect(mountAt('/to', { mounts: [{ ...bind, options }], host })?.options).toEqual(expected)
  })

  it('refuse what an older kernel cannot do by force', () => {
    const mounts = [{ ...bind, options: { readOnlyForceRecursive: true } }]
    expect(() => specOf({ mounts, host: testHost({ kernel: [5, 11] }) })).toThrow('need kernel 5.12')
  })

  it('take the place of what every container has, and come parents first', () => {
    const at = (Destination: string) => ({ ...bind, Destination })
    const places = specOf({
      mounts: [at('/a/b/c'), at('/a'), at('/etc/hosts'), at('/dev/shm')],
      etc: { hosts: '/h' },
    }).mounts.map(({ destination }) => destination)
    expect(places.filter((place) => place === '/etc/hosts' || place === '/dev/shm')).toHaveLength(2)
    expect(places.indexOf('/a')).toBeLessThan(places.indexOf('/a/b/c'))
  })

  it('hide and guard parts of /proc and /sys unless the container is privileged or says otherwise', () => {
    expect(specOf().linux.maskedPaths).toContain('/proc/kcore')
    expect(specOf({ hostConfig: { MaskedPaths: [], ReadonlyPaths: ['/proc/sys'] } }).linux).toMatchObject({
      maskedPaths: [],
      readonlyPaths: ['/proc/sys'],
    })
    const privileged = { hostConfig: { Privileged: true } }
    expect(specOf(privileged).linux).toMatchObject({ maskedPaths: [], readonlyPaths: [] })
    expect(specOf(privileged).linux.seccomp).toBeUndefined()
    expect(mountAt('/sys', privileged)?.options).not.toContain('ro')
  })
})

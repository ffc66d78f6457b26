// Containers and processes in them.
import { expect } from 'vitest'
import type { RouteName } from '../change.ts'
import type { Boundary } from './boundary.ts'
import { type Proof, proof } from './proof.ts'

const create = 'POST /containers/create'
const inspect = 'GET /containers/:id/json'
const list = 'GET /containers/json'
const update = 'POST /containers/:id/update'
const stats = 'GET /containers/:id/stats'
const exec = 'POST /containers/:id/exec'
const wait = 'POST /containers/:id/wait'
const bind = { HostConfig: { Mounts: [{ Type: 'bind', Source: '/y', Target: '/x' }] } }
const volume = { HostConfig: { Mounts: [{ Type: 'volume', Source: 'y', Target: '/x' }] } }
const tmpfs = { HostConfig: { Mounts: [{ Type: 'tmpfs', Target: '/x' }] } }

/** Fields of HostConfig with a value: asked for, and told. */
const hostConfig =
  (fields: Record<string, unknown>, base: object = {}) =>
  async (at: Boundary) => {
    for (const [name, value] of Object.entries(fields)) await at.takes(create, `HostConfig.${name}`, value, base)
  }

const read =
  (...names: string[]) =>
  (at: Boundary) =>
    at.shows(inspect, ...names.map((name) => `HostConfig.${name}`))

const all =
  (...shows: Proof['show'][]): Proof['show'] =>
  async (at) => {
    for (const show of shows) await show(at)
  }

const olderContainers: Record<string, Proof> = {
  'Stats can be asked for once instead of for ever.': proof('', (at) => at.asks(stats, 'stream', 'false')),
  'Logs can be asked for since a time.': proof('', (at) => at.asks('GET /containers/:id/logs', 'since', '1')),
  'Containers have a CPU period and quota.': proof(
    '',
    all(hostConfig({ CpuPeriod: 1, CpuQuota: 2 }), read('CpuPeriod', 'CpuQuota')),
  ),
  'Files are copied out of containers and into them as archives.': proof('', async (at) => {
    await at.status('GET /containers/:id/archive', 404, 200)
    await at.status('PUT /containers/:id/archive', 404, 200)
  }),
  'Processes of containers have further groups.': proof('', all(hostConfig({ GroupAdd: ['audio'] }), read('GroupAdd'))),
  'The volume driver of a container stands in HostConfig; it stood in Config.': proof('', async (at) => {
    const asked = { VolumeDriver: 'old', HostConfig: { VolumeDriver: 'new' } }
    await at.body(create, asked, 'HostConfig.VolumeDriver', 'old', 'new')
    await at.body(create, { HostConfig: { VolumeDriver: 'new' } }, 'HostConfig.VolumeDriver', undefined, 'new')
    await at.tells(inspect, 'Config.VolumeDriver', 'local', undefined)
    await at.tells(inspect, 'HostConfig.VolumeDriver', undefined, 'local')
  }),
  'A container names the signal that stops it.': proof('', async (at) => {
    await at.takes(create, 'StopSignal', 'SIGINT')
    await at.shows(inspect, 'Config.StopSignal')
  }),
  'Containers have resolver options.': proof('', all(hostConfig({ DnsOptions: ['ndots:1'] }), read('DnsOptions'))),
  'Containers have a limit of kernel memory.': proof(
    '',
    all(hostConfig({ KernelMemory: 8_000_000 }), read('KernelMemory')),
  ),
  'Containers have an out-of-memory score.': proof('', all(hostConfig({ OomScoreAdj: 1 }), read('OomScoreAdj'))),
  'Stats count each network interface for itself; they counted all of them together.': proof('', async (at) => {
    await at.shows(stats, 'networks.eth0.rx_bytes')
    await at.tells(stats, 'network', { rx_bytes: 11, tx_bytes: 22 }, undefined)
  }),
  'Lists of containers have the id of the image.': proof('', (at) => at.shows(list, '0.ImageID')),
  'A container tells its size when asked.': proof('', (at) => at.asks(inspect, 'size', '1')),
  'The networks of a container are told one by one.': proof('', async (at) => {
    await at.shows(inspect, 'NetworkSettings.Networks')
    await at.tells(inspect, 'NetworkSettings.IPAddress', '', '')
    await at.shows('GET /exec/:id/json', 'Container.NetworkSettings.Networks')
  }),
  'There are no options for LXC any more; they had no effect.': proof('', async (at) => {
    await at.body(create, { HostConfig: { LxcConf: { a: 'b' } } }, 'HostConfig.LxcConf', { a: 'b' }, undefined)
    await at.tells(inspect, 'HostConfig.LxcConf', [], undefined)
  }),
  'Limits of containers can be changed.': proof('', (at) => at.status(update, 404, 200)),
  'Kernel memory may not be limited to less than 4 MB.': proof('', (at) => at.way('any-kernel-memory')),
  'Reading from devices and writing to them can be slowed down.': proof(
    '',
    all(
      hostConfig({
        BlkioDeviceReadBps: [{ Path: '/dev/sda', Rate: 1 }],
        BlkioDeviceWriteBps: [{ Path: '/dev/sda', Rate: 1 }],
        BlkioDeviceReadIOps: [{ Path: '/dev/sda', Rate: 1 }],
        BlkioDeviceWriteIOps: [{ Path: '/dev/sda', Rate: 1 }],
      }),
      read('BlkioDeviceReadBps'),
    ),
  ),
  'Containers tell the ids of their networks.': proof('', (at) =>
    at.shows(inspect, 'NetworkSettings.Networks.net1.NetworkID'),
  ),
  'Lists of containers have their networks, and can be filtered by isolation.': proof('', async (at) => {
    await at.shows(list, '0.NetworkSettings.Networks.net1')
    await at.filters(list, 'isolation')
  }),
  'Lists of containers have their states and mounts.': proof('', (at) => at.shows(list, '0.State', '0.Mounts')),
  'The restart policy of a container can be changed.': proof('', (at) =>
    at.takes(update, 'RestartPolicy', { Name: 'always' }),
  ),
  'Processes of a container can be limited in number.': proof('', all(hostConfig({ PidsLimit: 5 }), read('PidsLimit'))),
  'A container may leave the user namespace of the engine.': proof(
    '',
    all(hostConfig({ UsernsMode: 'host' }), read('UsernsMode')),
  ),
  'Named volumes may be kept from being filled with what the image has.': proof('', async (at) => {
    const binds = ['data:/data:nocopy', 'data:/more:nocopy,ro', '/a:/b', 'data:/c:ro']
    const older = ['data:/data', 'data:/more:ro', '/a:/b', 'data:/c:ro']
    await at.body(create, { HostConfig: { Binds: binds } }, 'HostConfig.Binds', older, binds)
  }),
  'The hostname is Hostname alone; the domain was put behind it.': proof('', async (at) => {
    await at.body(create, { Hostname: 'web', Domainname: 'example.com' }, 'Hostname', 'web.example.com', 'web')
    await at.body(create, { Hostname: 'web', Domainname: '' }, 'Hostname', 'web', 'web')
  }),
  'Logs can be asked for with details.': proof('', (at) => at.asks('GET /containers/:id/logs', 'details', '1')),
  'Stats count processes.': proof('', (at) => at.shows(stats, 'pids_stats')),
  'Containers have storage options.': proof('', all(hostConfig({ StorageOpt: { size: '1G' } }), read('StorageOpt'))),
  'Containers have kernel parameters.': proof('', all(hostConfig({ Sysctls: { a: '1' } }), read('Sysctls'))),
  'Containers of Windows have limits for their disk.': proof(
    '',
    all(hostConfig({ IOMaximumBandwidth: 1, IOMaximumIOps: 1 }), read('IOMaximumBandwidth', 'IOMaximumIOps')),
  ),
  'A container may share the processes of another.': proof('', async (at) => {
    await at.takes(create, 'HostConfig.PidMode', 'container:web')
    await at.body(create, { HostConfig: { PidMode: 'host' } }, 'HostConfig.PidMode', 'host', 'host')
  }),
  'Hostnames are checked against RFC 1123; anything was taken.': proof('', (at) => at.way('any-hostname')),
  'A container without a command is refused with 400; it was 500.': proof('', (at) => at.way('no-command-is-fault')),
  'Containers can be filtered by network.': proof('', (at) => at.filters(list, 'network')),
  'Starting a container takes no HostConfig any more.': proof('', async (at) => {
    const start = 'POST /containers/:id/start'
    const asked = { Ulimits: [{ Name: 'nofile', Soft: 1, Hard: 1 }] }
    await at.status(start, 200, 400, { body: asked })
    expect((await at.call('1.23', start, { body: asked })).seen.body).toEqual(asked)
    expect((await at.call('1.24', start, { body: asked })).text).toContain('removed in v1.24')
    for (const nothing of [{}, null]) await at.status(start, 200, 200, { body: nothing })
    await at.status(start, 200, 200)
  }),
  'Files are no longer copied by a request with a body.': proof('', (at) =>
    at.status('POST /containers/:id/copy', 200, 404, { body: { Resource: '/etc/hosts' } }),
  ),
  'Processes in a container are asked for without naming it again.': proof('', async (at) => {
    for (const route of [exec, 'POST /exec/:id/start'] as RouteName[]) {
      await at.body(route, { Container: 'x' }, 'Container', 'x', undefined)
    }
  }),
}

const newerContainers: Record<string, Proof> = {
  'Containers can remove themselves, have an init process, and mounts written out in full.': proof(
    '',
    all(
      hostConfig({ AutoRemove: true, Init: true, Mounts: [{ Type: 'tmpfs' }] }),
      read('AutoRemove', 'Init', 'Mounts'),
    ),
  ),
  'Containers have CPU limits in parts of a CPU and for real-time processes.': proof(
    '',
    all(
      hostConfig({ NanoCpus: 1, CpuRealtimePeriod: 1, CpuRealtimeRuntime: 1, CpuRtRuntime: 1, CpuCount: 1 }),
      read('NanoCpus', 'CpuRealtimePeriod', 'CpuRealtimeRuntime', 'CpuCount'),
    ),
  ),
  'Logging may drop lines instead of holding a container up.': proof(
    '',
    hostConfig({ 'LogConfig.Config.mode': 'non-blocking', 'LogConfig.Config.max-buffer-size': '1m' }),
  ),
  'A container says how long stopping it may take.': proof('', async (at) => {
    await at.takes(create, 'StopTimeout', 3)
    await at.shows(inspect, 'Config.StopTimeout')
  }),
  'Restart policies are checked; unknown ones were passed over.': proof('', async (at) => {
    await at.takes(create, 'HostConfig.RestartPolicy', { Name: 'sometimes' })
    await at.takes(update, 'RestartPolicy', { Name: 'sometimes' })
    const policy = { Name: 'on-failure', MaximumRetryCount: 2 }
    await at.body(create, { HostConfig: { RestartPolicy: policy } }, 'HostConfig.RestartPolicy', policy, policy)
  }),
  'Containers that are being removed are told as such; they were told as exited.': proof('', async (at) => {
    await at.tells(inspect, 'State.Status', 'exited', 'removing')
    await at.tells(list, '0.State', 'exited', 'removing')
    const asked = { filters: '{"status":["exited"]}' }
    await at.query(list, asked, 'filters', '{"status":["exited","removing"]}', asked.filters)
    await at.query(list, { filters: '{"status":["removing"]}' }, 'filters', '{}', '{"status":["removing"]}')
  }),
  'Removing a container that is being removed is refused; nothing was said.': proof('', (at) =>
    at.way('quiet-double-removal'),
  ),
  'Containers can be filtered by health and by being part of a task.': proof('', (at) =>
    at.filters(list, 'health', 'is-task'),
  ),
  'Processes in a container can be given an environment.': proof('', (at) => at.takes(exec, 'Env', ['A=b'])),
  'Processes in a container tell their id on the host.': proof('', (at) => at.shows('GET /exec/:id/json', 'Pid')),
  'Stats tell how many CPUs are online.': proof('', (at) =>
    at.shows(stats, 'cpu_stats.online_cpus', 'precpu_stats.online_cpus'),
  ),
  'Mounts say how consistent they have to be.': proof(
    '',
    all(hostConfig({ 'Mounts.0.Consistency': 'cached' }, bind), read('Mounts.0.Consistency')),
  ),
  'Containers have rules for devices.': proof(
    '',
    all(hostConfig({ DeviceCgroupRules: ['c 1:1 r'] }), read('DeviceCgroupRules')),
  ),
  'Attached WebSockets send binary frames; they sent text frames.': proof('', (at) => at.socketWay('ws-text-frames')),
  'Containers can be filtered by published and exposed ports.': proof('', (at) =>
    at.filters(list, 'publish', 'expose'),
  ),
  'CPU limits in parts of a CPU can be changed.': proof('', (at) => at.takes(update, 'NanoCpus', 1)),
  'Waiting takes a condition, and its answer begins at once; it began with the end.': proof('', async (at) => {
    await at.asks(wait, 'condition', 'removed')
    await at.way('wait-answers-late', wait)
  }),
  'Owners of files put into a container can be kept.': proof('', (at) =>
    at.asks('PUT /containers/:id/archive', 'copyUIDGID', '1'),
  ),
  'Shared memory of a container can be private, shareable or none at all.': proof('', async (at) => {
    const asked = { HostConfig: { IpcMode: 'none' } }
    await at.body(create, asked, 'HostConfig.IpcMode', 'shareable', 'none')
    await at.body(create, { HostConfig: { IpcMode: 'host' } }, 'HostConfig.IpcMode', 'host', 'host')
  }),
  'Waiting for a removal also ends when it fails, and tells why.': proof('', async (at) => {
    await at.tells(wait, 'Error', undefined, null)
    await at.tells(wait, 'StatusCode', 0, 0)
  }),
  'Logs can be asked for until a time.': proof('', (at) => at.asks('GET /containers/:id/logs', 'until', '1')),
  'Processes in a container can start in a folder.': proof('', (at) => at.takes(exec, 'WorkingDir', '/tmp')),
  'Ports can be of SCTP.': proof('', async (at) => {
    const exposed = { '80/tcp': {}, '81/sctp': {} }
    await at.body(create, { ExposedPorts: exposed }, 'ExposedPorts', { '80/tcp': {} }, exposed)
    const bindings = { '81/sctp': [{ HostPort: '81' }] }
    await at.body(create, { HostConfig: { PortBindings: bindings } }, 'HostConfig.PortBindings', {}, bindings)
  }),
}

const newestContainers: Record<string, Proof> = {
  'Bind mounts may leave out what is mounted below.': proof(
    '',
    all(hostConfig({ 'Mounts.0.BindOptions.NonRecursive': true }, bind), read('Mounts.0.BindOptions.NonRecursive')),
  ),
  'Containers can ask for devices by what they can do.': proof(
    '',
    all(hostConfig({ DeviceRequests: [{ Count: 1 }] }), read('DeviceRequests')),
  ),
  'Containers have a limit of memory for TCP.': proof(
    '',
    all(hostConfig({ KernelMemoryTCP: 1 }), read('KernelMemoryTCP')),
  ),
  'Shared memory of a container is private unless asked for otherwise; it was shareable.': proof('', async (at) => {
    await at.body(create, { Image: 'x' }, 'HostConfig.IpcMode', 'shareable', undefined)
    await at.body(create, { HostConfig: { IpcMode: '' } }, 'HostConfig.IpcMode', 'shareable', '')
    await at.body(create, { HostConfig: { IpcMode: 'private' } }, 'HostConfig.IpcMode', 'private', 'private')
  }),
  'The number of processes of a container can be changed.': proof('', (at) => at.takes(update, 'PidsLimit', 5)),
  'Containers can be made for a platform.': proof('', (at) => at.asks(create, 'platform', 'linux/amd64')),
  'Containers can have a cgroup namespace of their own.': proof(
    '',
    all(hostConfig({ CgroupnsMode: 'private' }), read('CgroupnsMode')),
  ),
  'Stats can be asked for at once, without a second look.': proof('', (at) => at.asks(stats, 'one-shot', '1')),
  'Stopping and restarting take a signal.': proof('', async (at) => {
    await at.asks('POST /containers/:id/stop', 'signal', 'SIGINT')
    await at.asks('POST /containers/:id/restart', 'signal', 'SIGINT')
  }),
  'Limits of kernel memory are passed over; they were taken.': proof('', async (at) => {
    const bytes = 8_000_000
    await at.body(create, { HostConfig: { KernelMemory: bytes } }, 'HostConfig.KernelMemory', bytes, undefined)
    await at.body(update, { KernelMemory: bytes }, 'KernelMemory', bytes, undefined)
    await at.way('kernel-memory')
  }),
  'Containers leave out limits of kernel memory that are not set; they were 0.': proof('', async (at) => {
    await at.tells(inspect, 'HostConfig.KernelMemory', 0, undefined)
    await at.tells(inspect, 'HostConfig.KernelMemoryTCP', 0, undefined)
  }),
  'Streams say whether they have frames; all were called raw.': proof('', async (at) => {
    const routes: RouteName[] = ['POST /containers/:id/attach', 'POST /exec/:id/start', 'GET /containers/:id/logs']
    for (const route of routes) await at.way('raw-stream-type', route)
  }),
  'WebSockets attach to the streams they ask for; they attached to all.': proof('', (at) =>
    at.socketWay('ws-all-streams'),
  ),
  'The terminal of a container has a size at its start.': proof(
    '',
    all(hostConfig({ ConsoleSize: [1, 2] }), read('ConsoleSize')),
  ),
  'Folders that are to be mounted can be made.': proof(
    '',
    all(
      hostConfig({ 'Mounts.0.BindOptions.CreateMountpoint': true }, bind),
      read('Mounts.0.BindOptions.CreateMountpoint'),
    ),
  ),
  'Options of another type of mount are refused; they were passed over.': proof('', async (at) => {
    await at.takes(create, 'HostConfig.Mounts.0.BindOptions', { Propagation: 'rslave' }, volume)
    await at.takes(create, 'HostConfig.Mounts.0.VolumeOptions', { NoCopy: true }, bind)
    await at.takes(create, 'HostConfig.Mounts.0.TmpfsOptions', { Mode: 1 }, bind)
    const own = { HostConfig: { Mounts: [{ Type: 'volume', VolumeOptions: { NoCopy: true } }] } }
    await at.body(create, own, 'HostConfig.Mounts.0.VolumeOptions', { NoCopy: true }, { NoCopy: true })
  }),
  'The terminal of a process in a container has a size at its start.': proof('', (at) =>
    at.takes(exec, 'ConsoleSize', [1, 2]),
  ),
  'Containers have annotations for their runtime.': proof(
    '',
    all(hostConfig({ Annotations: { a: 'b' } }), read('Annotations')),
  ),
  'Bind mounts say how far read-only reaches.': proof(
    '',
    all(
      hostConfig({ 'Mounts.0.BindOptions.ReadOnlyForceRecursive': true }, bind),
      hostConfig({ 'Mounts.0.BindOptions.ReadOnlyNonRecursive': true }, bind),
      read('Mounts.0.BindOptions.ReadOnlyForceRecursive', 'Mounts.0.BindOptions.ReadOnlyNonRecursive'),
    ),
  ),
  'Read-only bind mounts are read-only all the way down; they were so at the top alone.': proof('', async (at) => {
    const mounts = [{ Type: 'bind', Source: '/y', Target: '/x', ReadOnly: true }]
    const place = 'HostConfig.Mounts.0.BindOptions'
    await at.body(create, { HostConfig: { Mounts: mounts } }, place, { ReadOnlyNonRecursive: true }, undefined)
    await at.way('read-only-at-the-top')
  }),
  'Health checks are more frequent while starting.': proof('', async (at) => {
    await at.takes(create, 'Healthcheck.StartInterval', 1)
    await at.shows(inspect, 'Config.Healthcheck.StartInterval')
  }),
  'Containers tell the names they are found by.': proof('', (at) =>
    at.shows(inspect, 'NetworkSettings.Networks.net1.DNSNames'),
  ),
  'A folder of a volume can be mounted.': proof(
    '',
    all(hostConfig({ 'Mounts.0.VolumeOptions.Subpath': 'a' }, volume), read('Mounts.0.VolumeOptions.Subpath')),
  ),
  'Aliases of a container are those it was given; its short id was among them.': proof('', async (at) => {
    await at.tells(inspect, 'NetworkSettings.Networks.net1.Aliases', ['web', 'c0ffee012345'], ['web'])
    await at.tells(inspect, 'NetworkSettings.Networks.bridge.Aliases', null, null)
  }),
  'Lists of containers have their annotations.': proof('', async (at) => {
    await at.shows(list, '0.HostConfig.Annotations')
    await at.tells(list, '0.HostConfig.NetworkMode', 'bridge', 'bridge')
  }),
  'Mounts in memory have further options.': proof(
    '',
    all(hostConfig({ 'Mounts.0.TmpfsOptions.Options': [['noexec']] }, tmpfs), read('Mounts.0.TmpfsOptions.Options')),
  ),
  'There is an event for an image that was made.': proof('', (at) => at.events('image create')),
  'Kernel parameters of an interface are those of its endpoint; they were among those of the container.': proof(
    '',
    (at) => at.way('interface-sysctls'),
  ),
}

export const containerProofs: Record<string, Proof> = { ...olderContainers, ...newerContainers, ...newestContainers }

// Answers of today's version with everything in them, for the test that walks through the changes.
const containerId = 'c0ffee0123456789c0ffee0123456789c0ffee0123456789c0ffee0123456789'
const imageId = `sha256:${'1'.repeat(64)}`

const mount = {
  Type: 'bind',
  Source: '/y',
  Target: '/x',
  Consistency: 'cached',
  BindOptions: {
    NonRecursive: true,
    CreateMountpoint: true,
    ReadOnlyNonRecursive: true,
    ReadOnlyForceRecursive: true,
  },
  VolumeOptions: { Subpath: 'a' },
  TmpfsOptions: { Options: [['noexec']] },
}

const hostConfig = {
  NetworkMode: 'bridge',
  Annotations: { a: 'b' },
  AutoRemove: true,
  Init: true,
  Mounts: [mount],
  NanoCpus: 1,
  CpuRealtimePeriod: 1,
  CpuRealtimeRuntime: 1,
  CpuCount: 1,
  CpuPeriod: 1,
  CpuQuota: 1,
  GroupAdd: ['audio'],
  DnsOptions: ['ndots:1'],
  OomScoreAdj: 1,
  BlkioDeviceReadBps: [{ Path: '/dev/sda', Rate: 1 }],
  PidsLimit: 5,
  UsernsMode: 'host',
  StorageOpt: { size: '1G' },
  Sysctls: { 'net.core.somaxconn': '1' },
  IOMaximumBandwidth: 1,
  IOMaximumIOps: 1,
  LogConfig: { Type: 'json-file', Config: { mode: 'non-blocking', 'max-buffer-size': '1m' } },
  DeviceCgroupRules: ['c 1:1 r'],
  DeviceRequests: [{ Count: 1 }],
  CgroupnsMode: 'private',
  ConsoleSize: [1, 2],
  VolumeDriver: 'local',
}

const endpoint = {
  Aliases: ['web'],
  DNSNames: ['web', 'boring', containerId.slice(0, 12)],
  NetworkID: 'n1',
  MacAddress: '02:42:ac:11:00:02',
}

export const container = {
  Id: containerId,
  State: { Status: 'removing', Running: false },
  Config: { StopSignal: 'SIGINT', StopTimeout: 3, Healthcheck: { Test: ['CMD', 'true'], StartInterval: 1 } },
  HostConfig: hostConfig,
  NetworkSettings: { IPAddress: '', Networks: { net1: endpoint, bridge: { ...endpoint, Aliases: null } } },
}

export const listedContainer = {
  Id: containerId,
  ImageID: imageId,
  State: 'removing',
  Mounts: [{ Type: 'bind' }],
  HostConfig: { NetworkMode: 'bridge', Annotations: { a: 'b' } },
  NetworkSettings: { Networks: { net1: endpoint } },
}

export const image = {
  Id: imageId,
  RepoTags: ['busybox:latest'],
  RepoDigests: [`busybox@${imageId}`],
  Size: 7,
  Config: { Cmd: ['sh'] },
  OsVersion: '12',
  RootFS: { Type: 'layers', Layers: [] },
  Metadata: { LastTagTime: '2026-01-01T00:00:00Z' },
}

export const listedImages = [
  { Id: imageId, RepoTags: [], RepoDigests: [], Size: 7, SharedSize: -1, Manifests: [{ ID: 'm' }] },
  { Id: imageId, RepoTags: ['busybox:latest'], RepoDigests: [], Size: 8, SharedSize: -1 },
]

export const network = {
  Name: 'net1',
  Id: 'n1',
  Created: '2026-01-01T00:00:00Z',
  Scope: 'local',
  Internal: true,
  EnableIPv6: true,
  Ingress: false,
  Peers: [{ Name: 'p', IP: '10.0.0.1' }],
  IPAM: { Driver: 'default', Options: { a: 'b' }, Config: [{ Subnet: '10.0.0.0/24' }] },
  Containers: { [containerId]: { Name: 'web', IPv4Address: '10.0.0.2/24' } },
  Options: { Internal: 'kept' },
}

export const volume = {
  Name: 'data',
  CreatedAt: '2026-01-01T00:00:00Z',
  Options: { type: 'tmpfs' },
  ClusterVolume: { ID: 'v' },
}

export const info = {
  Debug: false,
  IPv4Forwarding: true,
  MemoryLimit: true,
  SwapLimit: false,
  CpuCfsPeriod: true,
  CpuCfsQuota: true,
  OomKillDisable: true,
  ServerVersion: '0.1.0',
  CPUShares: true,
  CPUSet: true,
  Architecture: 'x86_64',
  OSType: 'linux',
  Containers: 6,
  ContainersRunning: 1,
  ContainersPaused: 2,
  ContainersStopped: 3,
  CgroupDriver: 'cgroupfs',
  CgroupVersion: '1',
  DefaultRuntime: 'crun',
  SecurityOptions: ['name=seccomp,profile=builtin', 'name=userns'],
  Isolation: '',
  Plugins: { Log: ['json-file'], Network: ['bridge'] },
  Swarm: { Cluster: { TLSInfo: { TrustRoot: 'x' }, DataPathPort: 4789 } },
  KernelVersion: '',
  OperatingSystem: '',
  ProductLicense: 'Apache-2.0',
  Warnings: ['WARNING: no swap limit'],
  PidsLimit: true,
  OSVersion: '12',
  DefaultAddressPools: [{ Base: '10.0.0.0/8', Size: 24 }],
  CDISpecDirs: [],
  Runtimes: { crun: { path: 'crun', status: { a: 'b' } } },
  Containerd: { Address: '/run/containerd.sock' },
}

export const version = {
  Version: '0.1.0',
  MinAPIVersion: '1.18',
  Platform: { Name: 'Atoll' },
  Components: [{ Name: 'Engine', Version: '0.1.0' }],
  BuildTime: '2026-03-01T07:09:13.000000000Z',
}

export const usage = {
  LayersSize: 1,
  Images: [{ Id: imageId, Size: 7 }],
  Containers: [],
  Volumes: [volume],
  BuildCache: [
    { ID: 'b', Parents: ['p1', 'p2'], Size: 5, Shared: false },
    { ID: 'c', Parents: [], Size: 9, Shared: true },
  ],
}

export const exec = { ID: 'e', Pid: 9, Container: { NetworkSettings: { Networks: { net1: endpoint } } } }

export const stats = {
  pids_stats: { current: 3 },
  cpu_stats: { online_cpus: 2 },
  precpu_stats: { online_cpus: 2 },
  networks: { eth0: { rx_bytes: 1, tx_bytes: 2 }, eth1: { rx_bytes: 10, tx_bytes: 20 } },
}

const event = (Type: string, Action: string, scope = 'local') => ({
  Type,
  Action,
  scope,
  Actor: { ID: 'x', Attributes: {} },
  time: 1,
  timeNano: 1_000_000_001,
})

/** One of each kind that some version does not have, and one that all have. */
export const events = [
  event('container', 'start'),
  event('container', 'detach'),
  event('container', 'exec_detach'),
  event('container', 'exec_die'),
  event('container', 'prune'),
  event('daemon', 'reload'),
  event('service', 'create', 'swarm'),
  event('network', 'remove', 'swarm'),
  event('config', 'create', 'swarm'),
  event('image', 'create'),
]

const authority = { TrustRoot: 'x', CertIssuerSubject: 'x', CertIssuerPublicKey: 'x' }

export const swarm = {
  ...{ ID: 'x', TLSInfo: authority, RootRotationInProgress: false, DataPathPort: 4789 },
  ...{ DefaultAddrPool: ['10.0.0.0/8'], SubnetSize: 24, Spec: { CAConfig: { NodeCertExpiry: 1, ForceRotate: 1 } } },
}

export const node = {
  ...{ ID: 'x', Status: { State: 'ready', Addr: '10.0.0.1' } },
  Description: { Hostname: 'x', TLSInfo: authority },
}

export const secret = { ID: 'x', Spec: { Name: 'x', Driver: { Name: 'vault' }, Templating: { Name: 'golang' } } }

export const taskTemplate = {
  PluginSpec: { Remote: 'x' },
  Runtime: 'plugin',
  NetworkAttachmentSpec: { ContainerID: 'x' },
  ForceUpdate: 1,
  Placement: { Platforms: [{ OS: 'linux' }], MaxReplicas: 2 },
  Resources: { Limits: { Pids: 5 } },
  ContainerSpec: {
    ...{ TTY: true, DNSConfig: { Nameservers: ['10.0.0.1'] }, ReadOnly: true, Isolation: 'process', OomScoreAdj: 5 },
    ...{ Sysctls: { 'net.core.somaxconn': '1' }, CapabilityAdd: ['ALL'], CapabilityDrop: ['ALL'], Ulimits: [] },
    ...{ CapAdd: ['ALL'], CapDrop: ['ALL'] },
    Configs: [{ Runtime: {} }],
    Mounts: [{ BindOptions: { NonRecursive: true }, TmpfsOptions: { Options: [['exec']] } }],
    Privileges: {
      ...{ CredentialSpec: { Config: 'x' }, SELinuxContext: { Disable: true } },
      ...{ Seccomp: { Mode: 'unconfined' }, AppArmor: { Mode: 'disabled' } },
    },
  },
}

const update = { FailureAction: 'rollback', Monitor: 1, MaxFailureRatio: 1, MonitorMaxFailureRatio: 1 }

export const service = {
  ...{ ID: 'x', JobStatus: { JobIteration: { Index: 1 } } },
  Spec: { Name: 'x', TaskTemplate: taskTemplate, UpdateConfig: update, RollbackConfig: { Parallelism: 1 } },
}

export const task = { ID: 'x', Spec: taskTemplate, JobIteration: { Index: 1 } }

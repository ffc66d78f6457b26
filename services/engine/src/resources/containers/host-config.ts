// HostConfig with everything filled in that the caller left open, as inspect shows it.
import { defaultMaskedPaths, defaultReadonlyPaths } from '../../runtime/oci/system-paths.ts'
import type { EngineDefaults } from './ports.ts'
import type { HostConfig } from './schema.ts'

const defaultShmBytes = 64 * 1024 * 1024

export function withDefaults(asked: HostConfig, defaults: EngineDefaults): HostConfig {
  const isOpen = asked.Privileged === true
  return {
    ...asked,
    LogConfig: { Type: asked.LogConfig?.Type || 'json-file', Config: asked.LogConfig?.Config ?? {} },
    NetworkMode: networkMode(asked.NetworkMode),
    PortBindings: asked.PortBindings ?? {},
    RestartPolicy: {
      Name: asked.RestartPolicy?.Name || 'no',
      MaximumRetryCount: asked.RestartPolicy?.MaximumRetryCount ?? 0,
    },
    CgroupnsMode: asked.CgroupnsMode || (isOpen ? 'host' : defaults.cgroupnsMode),
    IpcMode: asked.IpcMode || defaults.ipcMode,
    ShmSize: asked.ShmSize || defaultShmBytes,
    Runtime: asked.Runtime || defaults.runtime,
    MemorySwap: asked.MemorySwap || (asked.Memory ? asked.Memory * 2 : 0),
    // ENG-162: an older name of the same.
    CpuRealtimeRuntime: asked.CpuRealtimeRuntime || asked.CpuRtRuntime,
    // ENG-178, ENG-179: no limit.
    PidsLimit: asked.PidsLimit !== undefined && asked.PidsLimit <= 0 ? undefined : asked.PidsLimit,
    MaskedPaths: asked.MaskedPaths ?? (isOpen ? undefined : [...defaultMaskedPaths]),
    ReadonlyPaths: asked.ReadonlyPaths ?? (isOpen ? undefined : [...defaultReadonlyPaths]),
  }
}

export const networkMode = (asked: string | undefined): string => (!asked || asked === 'default' ? 'bridge' : asked)

/** The container whose namespace is joined: `container:name`. */
export const joinedContainer = (mode: string | undefined): string | undefined =>
  mode?.startsWith('container:') ? mode.slice('container:'.length) : undefined

const empty = {
  Binds: null,
  ContainerIDFile: '',
  LogConfig: { Type: 'json-file', Config: {} },
  NetworkMode: 'bridge',
  PortBindings: {},
  RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
  AutoRemove: false,
  VolumeDriver: '',
  VolumesFrom: null,
  ConsoleSize: [0, 0],
  CapAdd: null,
  CapDrop: null,
  CgroupnsMode: '',
  Dns: [],
  DnsOptions: [],
  DnsSearch: [],
  ExtraHosts: null,
  GroupAdd: null,
  IpcMode: '',
  Cgroup: '',
  Links: null,
  OomScoreAdj: 0,
  PidMode: '',
  Privileged: false,
  PublishAllPorts: false,
  ReadonlyRootfs: false,
  SecurityOpt: null,
  UTSMode: '',
  UsernsMode: '',
  ShmSize: 0,
  Runtime: '',
  Isolation: '',
  CpuShares: 0,
  Memory: 0,
  NanoCpus: 0,
  CgroupParent: '',
  BlkioWeight: 0,
  BlkioWeightDevice: [],
  BlkioDeviceReadBps: [],
  BlkioDeviceWriteBps: [],
  BlkioDeviceReadIOps: [],
  BlkioDeviceWriteIOps: [],
  CpuPeriod: 0,
  CpuQuota: 0,
  CpuRealtimePeriod: 0,
  CpuRealtimeRuntime: 0,
  CpusetCpus: '',
  CpusetMems: '',
  Devices: [],
  DeviceCgroupRules: null,
  DeviceRequests: null,
  MemoryReservation: 0,
  MemorySwap: 0,
  MemorySwappiness: null,
  OomKillDisable: false,
  PidsLimit: null,
  Ulimits: [],
  CpuCount: 0,
  CpuPercent: 0,
  IOMaximumIOps: 0,
  IOMaximumBandwidth: 0,
  MaskedPaths: null,
  ReadonlyPaths: null,
}

/** Every field in its place; those that are only there when set come after. ENG-222, ENG-223: kernel memory is one. */
export function shownHostConfig(hostConfig: HostConfig): Record<string, unknown> {
  const { KernelMemory, KernelMemoryTCP, ...rest } = hostConfig
  const set = Object.entries(rest).filter(([, value]) => value !== undefined)
  return {
    ...empty,
    ...Object.fromEntries(set),
    ...(KernelMemory ? { KernelMemory } : {}),
    ...(KernelMemoryTCP ? { KernelMemoryTCP } : {}),
  }
}

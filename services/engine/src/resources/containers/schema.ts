// Containers as requests describe them, in today's version. Clients written in Go send null for what is empty, and
// fields nobody knows any more: both are taken.
import { z } from 'zod'

const whole = z.number().int()
/** Absent and null are the same. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const texts = z.array(z.string())
const labels = z.record(z.string(), z.string())
const emptyObjects = z.record(z.string(), z.object({}).nullable())

export const HealthConfig = z.object({
  Test: maybe(texts),
  Interval: maybe(whole),
  Timeout: maybe(whole),
  Retries: maybe(whole),
  StartPeriod: maybe(whole),
  StartInterval: maybe(whole),
})

/** A command may be one string (old clients). */
const command = z.union([texts, z.string().transform((text) => [text])])

export const ContainerConfig = z.object({
  Hostname: maybe(z.string()),
  Domainname: maybe(z.string()),
  User: maybe(z.string()),
  AttachStdin: maybe(z.boolean()),
  AttachStdout: maybe(z.boolean()),
  AttachStderr: maybe(z.boolean()),
  ExposedPorts: maybe(emptyObjects),
  Tty: maybe(z.boolean()),
  OpenStdin: maybe(z.boolean()),
  StdinOnce: maybe(z.boolean()),
  Env: maybe(texts),
  Cmd: maybe(command),
  Healthcheck: maybe(HealthConfig),
  ArgsEscaped: maybe(z.boolean()),
  Image: maybe(z.string()),
  Volumes: maybe(emptyObjects),
  WorkingDir: maybe(z.string()),
  Entrypoint: maybe(command),
  NetworkDisabled: maybe(z.boolean()),
  MacAddress: maybe(z.string()),
  OnBuild: maybe(texts),
  Labels: maybe(labels),
  StopSignal: maybe(z.string()),
  StopTimeout: maybe(whole),
  Shell: maybe(texts),
})
export type ContainerConfig = z.output<typeof ContainerConfig>

export const PortBindings = z.record(
  z.string(),
  z.array(z.object({ HostIp: z.string().optional(), HostPort: z.string().optional() })).nullable(),
)

export const RestartPolicy = z.object({ Name: maybe(z.string()), MaximumRetryCount: maybe(whole) })

export const Mount = z.object({
  Type: maybe(z.string()),
  Source: maybe(z.string()),
  Target: maybe(z.string()),
  ReadOnly: maybe(z.boolean()),
  Consistency: maybe(z.string()),
  BindOptions: maybe(
    z.object({
      Propagation: maybe(z.string()),
      NonRecursive: maybe(z.boolean()),
      CreateMountpoint: maybe(z.boolean()),
      ReadOnlyNonRecursive: maybe(z.boolean()),
      ReadOnlyForceRecursive: maybe(z.boolean()),
    }),
  ),
  VolumeOptions: maybe(
    z.object({
      NoCopy: maybe(z.boolean()),
      Labels: maybe(labels),
      DriverConfig: maybe(z.object({ Name: maybe(z.string()), Options: maybe(labels) })),
      Subpath: maybe(z.string()),
    }),
  ),
  /** Of a volume of the cluster: there is nothing to say yet. */
  ClusterOptions: maybe(z.object({})),
  TmpfsOptions: maybe(
    z.object({ SizeBytes: maybe(whole), Mode: maybe(whole), Options: maybe(z.array(z.array(z.string()))) }),
  ),
})
export type Mount = z.output<typeof Mount>

const ThrottleDevice = z.object({ Path: z.string(), Rate: whole })
const WeightDevice = z.object({ Path: z.string(), Weight: whole })
export const Ulimit = z.object({ Name: z.string(), Soft: whole, Hard: whole })

/** What an update may change, among others. */
export const Resources = z.object({
  CpuShares: maybe(whole),
  Memory: maybe(whole),
  CgroupParent: maybe(z.string()),
  BlkioWeight: maybe(whole),
  BlkioWeightDevice: maybe(z.array(WeightDevice)),
  BlkioDeviceReadBps: maybe(z.array(ThrottleDevice)),
  BlkioDeviceWriteBps: maybe(z.array(ThrottleDevice)),
  BlkioDeviceReadIOps: maybe(z.array(ThrottleDevice)),
  BlkioDeviceWriteIOps: maybe(z.array(ThrottleDevice)),
  CpuPeriod: maybe(whole),
  CpuQuota: maybe(whole),
  CpuRealtimePeriod: maybe(whole),
  CpuRealtimeRuntime: maybe(whole),
  CpuRtRuntime: maybe(whole),
  CpusetCpus: maybe(z.string()),
  CpusetMems: maybe(z.string()),
  Devices: maybe(
    z.array(
      z.object({ PathOnHost: z.string(), PathInContainer: maybe(z.string()), CgroupPermissions: maybe(z.string()) }),
    ),
  ),
  DeviceCgroupRules: maybe(texts),
  DeviceRequests: maybe(
    z.array(
      z.object({
        Driver: maybe(z.string()),
        Count: maybe(whole),
        DeviceIDs: maybe(texts),
        Capabilities: maybe(z.array(texts)),
        Options: maybe(labels),
      }),
    ),
  ),
  KernelMemory: maybe(whole),
  KernelMemoryTCP: maybe(whole),
  MemoryReservation: maybe(whole),
  MemorySwap: maybe(whole),
  MemorySwappiness: maybe(whole),
  NanoCpus: maybe(whole),
  OomKillDisable: maybe(z.boolean()),
  PidsLimit: maybe(whole),
  Ulimits: maybe(z.array(Ulimit)),
  CpuCount: maybe(whole),
  CpuPercent: maybe(whole),
  IOMaximumIOps: maybe(whole),
  IOMaximumBandwidth: maybe(whole),
})
export type Resources = z.output<typeof Resources>

export const HostConfig = Resources.extend({
  Binds: maybe(texts),
  ContainerIDFile: maybe(z.string()),
  LogConfig: maybe(z.object({ Type: maybe(z.string()), Config: maybe(labels) })),
  NetworkMode: maybe(z.string()),
  PortBindings: maybe(PortBindings),
  RestartPolicy: maybe(RestartPolicy),
  AutoRemove: maybe(z.boolean()),
  VolumeDriver: maybe(z.string()),
  VolumesFrom: maybe(texts),
  Mounts: maybe(z.array(Mount)),
  ConsoleSize: maybe(z.tuple([whole, whole])),
  Annotations: maybe(labels),
  CapAdd: maybe(texts),
  CapDrop: maybe(texts),
  CgroupnsMode: maybe(z.string()),
  Dns: maybe(texts),
  DnsOptions: maybe(texts),
  DnsSearch: maybe(texts),
  ExtraHosts: maybe(texts),
  GroupAdd: maybe(texts),
  IpcMode: maybe(z.string()),
  Cgroup: maybe(z.string()),
  Links: maybe(texts),
  OomScoreAdj: maybe(whole),
  PidMode: maybe(z.string()),
  Privileged: maybe(z.boolean()),
  PublishAllPorts: maybe(z.boolean()),
  ReadonlyRootfs: maybe(z.boolean()),
  SecurityOpt: maybe(texts),
  StorageOpt: maybe(labels),
  Tmpfs: maybe(labels),
  UTSMode: maybe(z.string()),
  UsernsMode: maybe(z.string()),
  ShmSize: maybe(whole),
  Sysctls: maybe(labels),
  Runtime: maybe(z.string()),
  Isolation: maybe(z.string()),
  MaskedPaths: maybe(texts),
  ReadonlyPaths: maybe(texts),
  Init: maybe(z.boolean()),
})
export type HostConfig = z.output<typeof HostConfig>
/** As callers write it. */
export type HostSettings = z.input<typeof HostConfig>

export const EndpointSettings = z.object({
  IPAMConfig: maybe(
    z.object({ IPv4Address: maybe(z.string()), IPv6Address: maybe(z.string()), LinkLocalIPs: maybe(texts) }),
  ),
  Links: maybe(texts),
  MacAddress: maybe(z.string()),
  Aliases: maybe(texts),
  DriverOpts: maybe(labels),
  NetworkID: maybe(z.string()),
  EndpointID: maybe(z.string()),
  Gateway: maybe(z.string()),
  IPAddress: maybe(z.string()),
  IPPrefixLen: maybe(whole),
  IPv6Gateway: maybe(z.string()),
  GlobalIPv6Address: maybe(z.string()),
  GlobalIPv6PrefixLen: maybe(whole),
  DNSNames: maybe(texts),
})
export type EndpointSettings = z.output<typeof EndpointSettings>

export const CreateContainer = ContainerConfig.extend({
  HostConfig: maybe(HostConfig),
  /** Where docker-py puts it: it is meant as HostConfig.Runtime. */
  Runtime: maybe(z.string()),
  NetworkingConfig: maybe(z.object({ EndpointsConfig: maybe(z.record(z.string(), EndpointSettings)) })),
})
export type CreateContainer = z.output<typeof CreateContainer>

export const UpdateContainer = Resources.extend({ RestartPolicy: maybe(RestartPolicy) })
export type UpdateContainer = z.output<typeof UpdateContainer>

/** Callers of old versions send settings along with a start; today's send nothing. */
export const StartBody = HostConfig.nullish()

const count = z.number().int().nonnegative()
const Warnings = z.array(z.string())

export const ContainerCreated = z.object({ Id: z.string(), Warnings })
export const ContainerUpdated = z.object({ Warnings })
export const ContainersPruned = z.object({ ContainersDeleted: z.array(z.string()).nullable(), SpaceReclaimed: count })

const Endpoint = z.object({
  IPAMConfig: z.looseObject({}).nullable(),
  Links: texts.nullable(),
  Aliases: texts.nullable(),
  MacAddress: z.string(),
  DriverOpts: labels.nullable(),
  NetworkID: z.string(),
  EndpointID: z.string(),
  Gateway: z.string(),
  IPAddress: z.string(),
  IPPrefixLen: count,
  IPv6Gateway: z.string(),
  GlobalIPv6Address: z.string(),
  GlobalIPv6PrefixLen: count,
  DNSNames: texts.nullable(),
})
const Networks = z.record(z.string(), Endpoint)

const MountView = z.looseObject({
  Type: z.string(),
  Name: z.string().optional(),
  Source: z.string(),
  Destination: z.string(),
  Driver: z.string().optional(),
  Mode: z.string(),
  RW: z.boolean(),
  Propagation: z.string(),
})

export const ContainerSummary = z.object({
  Id: z.string(),
  Names: texts,
  Image: z.string(),
  ImageID: z.string(),
  Command: z.string(),
  Created: count,
  Ports: z.array(
    z.object({ IP: z.string().optional(), PrivatePort: count, PublicPort: count.optional(), Type: z.string() }),
  ),
  SizeRw: count.optional(),
  SizeRootFs: count.optional(),
  Labels: labels,
  State: z.string(),
  Status: z.string(),
  HostConfig: z.object({ NetworkMode: z.string(), Annotations: labels.optional() }),
  NetworkSettings: z.object({ Networks }),
  Mounts: z.array(MountView),
})
export const ContainerSummaries = z.array(ContainerSummary).readonly()

export const ContainerInspection = z.looseObject({
  Id: z.string(),
  Created: z.string(),
  Path: z.string(),
  Args: texts,
  State: z.looseObject({ Status: z.string(), Running: z.boolean(), Pid: count, ExitCode: whole, Error: z.string() }),
  Image: z.string(),
  Name: z.string(),
  RestartCount: count,
  HostConfig: z.looseObject({}),
  GraphDriver: z.object({ Name: z.string(), Data: labels }),
  Mounts: z.array(MountView),
  Config: z.looseObject({}),
  NetworkSettings: z.looseObject({ Networks }),
})

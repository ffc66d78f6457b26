// The engine as a whole: what it is, what happens in it, what space it takes.
import { z } from 'zod'
import { GenericResource } from '../services/schema.ts'

const texts = z.array(z.string())
const listed = z.record(z.string(), z.unknown())

export const SwarmState = z.enum(['inactive', 'pending', 'error', 'locked', 'active/worker', 'active/manager'])
export type SwarmState = z.output<typeof SwarmState>

export const Version = z.object({
  Platform: z.object({ Name: z.string() }),
  Components: z.array(z.object({ Name: z.string(), Version: z.string(), Details: z.record(z.string(), z.string()) })),
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string(),
  GitCommit: z.string(),
  GoVersion: z.string(),
  Os: z.string(),
  Arch: z.string(),
  KernelVersion: z.string(),
  BuildTime: z.string(),
})
export type Version = z.output<typeof Version>

/** Of a swarm that this machine manages. */
export const SwarmCluster = z.object({
  ID: z.string(),
  Version: z.object({ Index: z.number() }),
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: listed,
  /** ENG-054 */
  TLSInfo: z.object({ TrustRoot: z.string(), CertIssuerSubject: z.string(), CertIssuerPublicKey: z.string() }),
  RootRotationInProgress: z.boolean(),
  DefaultAddrPool: texts,
  SubnetSize: z.number(),
  /** ENG-047 */
  DataPathPort: z.number(),
})
export type SwarmCluster = z.output<typeof SwarmCluster>

const Commit = z.object({ ID: z.string(), Expected: z.string() })

const Registries = z.object({
  InsecureRegistryCIDRs: texts,
  IndexConfigs: z.record(
    z.string(),
    z.object({ Name: z.string(), Mirrors: texts, Secure: z.boolean(), Official: z.boolean() }),
  ),
  Mirrors: texts,
})

/** What the host can do to limit containers. */
const Limits = z.object({
  MemoryLimit: z.boolean(),
  SwapLimit: z.boolean(),
  /** Left out where it cannot be. */
  KernelMemory: z.boolean().optional(),
  KernelMemoryTCP: z.boolean().optional(),
  CpuCfsPeriod: z.boolean(),
  CpuCfsQuota: z.boolean(),
  CPUShares: z.boolean(),
  CPUSet: z.boolean(),
  PidsLimit: z.boolean(),
  OomKillDisable: z.boolean(),
})
export type Limits = z.output<typeof Limits>

export const Info = Limits.extend({
  ID: z.string(),
  Name: z.string(),
  ServerVersion: z.string(),
  Containers: z.number(),
  ContainersRunning: z.number(),
  ContainersPaused: z.number(),
  ContainersStopped: z.number(),
  Images: z.number(),
  Driver: z.string(),
  DriverStatus: z.array(z.tuple([z.string(), z.string()])),
  DockerRootDir: z.string(),
  Plugins: z.object({ Volume: texts, Network: texts, Authorization: texts, Log: texts }),
  IPv4Forwarding: z.boolean(),
  BridgeNfIptables: z.boolean(),
  BridgeNfIp6tables: z.boolean(),
  Debug: z.boolean(),
  NFd: z.number(),
  NGoroutines: z.number(),
  NEventsListener: z.number(),
  SystemTime: z.string(),
  LoggingDriver: z.string(),
  CgroupDriver: z.enum(['cgroupfs', 'systemd', 'none']),
  CgroupVersion: z.enum(['1', '2']),
  KernelVersion: z.string(),
  OperatingSystem: z.string(),
  OSVersion: z.string(),
  OSType: z.string(),
  Architecture: z.string(),
  NCPU: z.number(),
  MemTotal: z.number(),
  IndexServerAddress: z.string(),
  RegistryConfig: Registries,
  GenericResources: z.array(GenericResource).nullable(),
  HttpProxy: z.string(),
  HttpsProxy: z.string(),
  NoProxy: z.string(),
  Labels: texts,
  ExperimentalBuild: z.boolean(),
  Runtimes: z.record(z.string(), z.object({ path: z.string(), status: z.record(z.string(), z.string()) })),
  DefaultRuntime: z.string(),
  Swarm: z.object({
    NodeID: z.string(),
    NodeAddr: z.string(),
    LocalNodeState: z.string(),
    ControlAvailable: z.boolean(),
    Error: z.string(),
    RemoteManagers: z.array(z.object({ NodeID: z.string(), Addr: z.string() })).nullable(),
    /** On a manager. */
    Nodes: z.number().optional(),
    Managers: z.number().optional(),
    /** Absent on a machine that manages no swarm. */
    Cluster: SwarmCluster.optional(),
  }),
  LiveRestoreEnabled: z.boolean(),
  Isolation: z.string(),
  InitBinary: z.string(),
  ContainerdCommit: Commit,
  RuncCommit: Commit,
  InitCommit: Commit,
  SecurityOptions: texts,
  ProductLicense: z.string(),
  DefaultAddressPools: z.array(z.object({ Base: z.string(), Size: z.number() })),
  Warnings: texts,
  CDISpecDirs: texts,
  /** There is no containerd. */
  Containerd: z.null(),
})
export type Info = z.output<typeof Info>

export const BuildCacheRecord = z.object({
  ID: z.string(),
  Parents: texts.nullable(),
  Type: z.string(),
  Description: z.string(),
  InUse: z.boolean(),
  Shared: z.boolean(),
  Size: z.number(),
  CreatedAt: z.string(),
  LastUsedAt: z.string().nullable(),
  UsageCount: z.number(),
})
export type BuildCacheRecord = z.output<typeof BuildCacheRecord>

export const usageKinds = ['container', 'image', 'volume', 'build-cache'] as const
export type UsageKind = (typeof usageKinds)[number]

/** Kinds that were not asked for are absent. */
export const DiskUsage = z.object({
  LayersSize: z.number().optional(),
  Images: z.array(listed).optional(),
  Containers: z.array(listed).optional(),
  Volumes: z.array(listed).optional(),
  BuildCache: z.array(BuildCacheRecord).optional(),
})
export type DiskUsage = z.output<typeof DiskUsage>

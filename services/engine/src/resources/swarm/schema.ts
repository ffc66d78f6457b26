// A swarm as requests describe it, in today's version.
import { z } from 'zod'

const whole = z.number().int()
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const labels = z.record(z.string(), z.string())
const texts = z.array(z.string())

export const ObjectVersion = z.object({ Index: whole })
export const Driver = z.object({ Name: maybe(z.string()), Options: maybe(labels) })

const ExternalCA = z.object({
  Protocol: maybe(z.string()),
  URL: maybe(z.string()),
  Options: maybe(labels),
  CACert: maybe(z.string()),
})

export const SwarmSpec = z.object({
  Name: maybe(z.string()),
  Labels: maybe(labels),
  Orchestration: maybe(z.object({ TaskHistoryRetentionLimit: maybe(whole) })),
  Raft: maybe(
    z.object({
      SnapshotInterval: maybe(whole),
      KeepOldSnapshots: maybe(whole),
      LogEntriesForSlowFollowers: maybe(whole),
      ElectionTick: maybe(whole),
      HeartbeatTick: maybe(whole),
    }),
  ),
  Dispatcher: maybe(z.object({ HeartbeatPeriod: maybe(whole) })),
  CAConfig: maybe(
    z.object({
      NodeCertExpiry: maybe(whole),
      ExternalCAs: maybe(z.array(ExternalCA)),
      SigningCACert: maybe(z.string()),
      SigningCAKey: maybe(z.string()),
      ForceRotate: maybe(whole),
    }),
  ),
  EncryptionConfig: maybe(z.object({ AutoLockManagers: maybe(z.boolean()) })),
  TaskDefaults: maybe(z.object({ LogDriver: maybe(Driver) })),
})
export type SwarmSpec = z.output<typeof SwarmSpec>

export const InitSwarm = z.object({
  ListenAddr: maybe(z.string()),
  AdvertiseAddr: maybe(z.string()),
  DataPathAddr: maybe(z.string()),
  DataPathPort: maybe(whole),
  DefaultAddrPool: maybe(texts),
  SubnetSize: maybe(whole),
  ForceNewCluster: maybe(z.boolean()),
  Spec: maybe(SwarmSpec),
  Availability: maybe(z.string()),
})
export type InitSwarm = z.output<typeof InitSwarm>

export const JoinSwarm = z.object({
  ListenAddr: maybe(z.string()),
  AdvertiseAddr: maybe(z.string()),
  DataPathAddr: maybe(z.string()),
  DataPathPort: maybe(whole),
  RemoteAddrs: maybe(texts),
  JoinToken: maybe(z.string()),
  Availability: maybe(z.string()),
})
export type JoinSwarm = z.output<typeof JoinSwarm>

export const UnlockKey = z.object({ UnlockKey: maybe(z.string()) })

export const TLSInfo = z.object({
  TrustRoot: z.string(),
  CertIssuerSubject: z.string(),
  CertIssuerPublicKey: z.string(),
})

export const Cluster = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: SwarmSpec,
  TLSInfo,
  RootRotationInProgress: z.boolean(),
  DefaultAddrPool: texts,
  SubnetSize: whole,
  DataPathPort: whole,
})
export type Cluster = z.output<typeof Cluster>

export const ClusterWithTokens = Cluster.extend({ JoinTokens: z.object({ Worker: z.string(), Manager: z.string() }) })

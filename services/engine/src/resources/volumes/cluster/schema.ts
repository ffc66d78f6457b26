// Volumes of a cluster: kept by a swarm, made and brought to its nodes by a CSI plugin.
import { z } from 'zod'
import { ObjectVersion } from '../../swarm/schema.ts'

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const maxPlaces = 100
const maxTexts = 100
const maxLetters = 4_096
const short = z.string().max(maxLetters)
const texts = z
  .record(short, short)
  .refine((all) => Object.keys(all).length <= maxTexts, `more than ${maxTexts} are too many`)
const bytes = z.number().int().nonnegative()

/** What is empty is what it is by default. */
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z
    .enum(['', ...values])
    .nullish()
    .transform((value) => (value || values[0]) as T[number])

const Topology = z.object({ Segments: maybe(texts) })

const ClusterAccess = z.object({
  Scope: oneOf(['single', 'multi']),
  Sharing: oneOf(['none', 'readonly', 'onewriter', 'all']),
  MountVolume: maybe(z.object({ FsType: maybe(short), MountFlags: maybe(z.array(short).max(maxTexts)) })),
  BlockVolume: maybe(z.object({})),
})
export type ClusterAccess = z.output<typeof ClusterAccess>

const ClusterFields = z.object({
  Group: maybe(short),
  AccessMode: z.preprocess((value) => value ?? {}, ClusterAccess),
  Secrets: maybe(z.array(z.object({ Key: short, Secret: short })).max(maxTexts)),
  AccessibilityRequirements: maybe(
    z.object({
      Requisite: maybe(z.array(Topology).max(maxPlaces)),
      Preferred: maybe(z.array(Topology).max(maxPlaces)),
    }),
  ),
  CapacityRange: maybe(z.object({ RequiredBytes: maybe(bytes), LimitBytes: maybe(bytes) })),
  Availability: oneOf(['active', 'pause', 'drain']),
})
export type ClusterSpec = z.output<typeof ClusterFields>

const besideAccess = ['Secrets', 'AccessibilityRequirements', 'CapacityRange', 'Availability']

/** The document has some fields within AccessMode which docker's own client has beside it: both are taken. */
export const ClusterSpec = z.preprocess((given) => {
  const { AccessMode } = (given ?? {}) as { AccessMode?: unknown }
  if (typeof AccessMode !== 'object' || AccessMode === null) return given
  const within = Object.entries(AccessMode).filter(([name]) => besideAccess.includes(name))
  return { ...Object.fromEntries(within), ...(given as object) }
}, ClusterFields)

const ClusterVolumeInfo = z.object({
  CapacityBytes: bytes,
  VolumeContext: z.record(z.string(), z.string()),
  /** As its plugin calls it. */
  VolumeID: z.string(),
  AccessibleTopology: z.array(z.object({ Segments: z.record(z.string(), z.string()) })),
})
export type ClusterVolumeInfo = z.output<typeof ClusterVolumeInfo>

const PublishStatus = z.object({
  NodeID: z.string(),
  State: z.enum(['pending-publish', 'published', 'pending-node-unpublish', 'pending-controller-unpublish']),
  PublishContext: z.record(z.string(), z.string()).optional(),
})
export type PublishStatus = z.output<typeof PublishStatus>

export const ClusterVolume = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: ClusterFields,
  /** Absent until its plugin has made it. */
  Info: ClusterVolumeInfo.optional(),
  PublishStatus: z.array(PublishStatus).optional(),
})
export type ClusterVolume = z.output<typeof ClusterVolume>

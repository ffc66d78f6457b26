import { z } from 'zod'
import { ClusterSpec, ClusterVolume } from './cluster/schema.ts'

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const texts = z.record(z.string(), z.string())

export const CreateVolume = z.object({
  Name: maybe(z.string()),
  Driver: maybe(z.string()),
  DriverOpts: maybe(texts),
  Labels: maybe(texts),
  ClusterVolumeSpec: maybe(ClusterSpec),
})
export type CreateVolume = z.output<typeof CreateVolume>

export const UpdateVolume = z.object({ Spec: maybe(ClusterSpec) })

export const VolumeParams = z.object({ name: z.string() })

export const VolumeObject = z.object({
  Name: z.string(),
  Driver: z.string(),
  Mountpoint: z.string(),
  CreatedAt: z.string(),
  Labels: texts,
  Scope: z.enum(['local', 'global']),
  /** What its driver has to say of it. */
  Status: z.record(z.string(), z.unknown()).optional(),
  Options: texts,
  /** Of one of a swarm. */
  ClusterVolume: ClusterVolume.optional(),
  /** In `GET /system/df` only. */
  UsageData: z.object({ Size: z.number(), RefCount: z.number() }).optional(),
})
export type VolumeObject = z.output<typeof VolumeObject>

/** Volumes of the swarm that this machine is in. */
export interface ClusterVolumes {
  /** None where it does not manage it. */
  list(): VolumeObject[]
  /** These throw where it does not manage one, or has no such volume. */
  inspect(asked: string): VolumeObject
  create(asked: CreateVolume): Promise<VolumeObject>
  update(asked: string, version: number, spec: ClusterSpec | undefined): Promise<void>
  remove(asked: string, isForced: boolean): Promise<void>
  /** Names of those that a plugin of this machine is needed for. */
  ofDriver(driver: string): string[]
}

export const VolumeList = z.object({ Volumes: z.array(VolumeObject), Warnings: z.array(z.string()) })

export const VolumesPruned = z.object({ VolumesDeleted: z.array(z.string()), SpaceReclaimed: z.number() })
export type VolumesPruned = z.output<typeof VolumesPruned>

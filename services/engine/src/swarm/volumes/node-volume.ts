// What a node is told of the volumes that it is to have, and what it tells of its plugins.
import { z } from 'zod'
import type { PublishedVolume } from '../../plugins/csi/csi-node.ts'
import type { PublishStatus } from '../../resources/volumes/cluster/schema.ts'

/** With its secrets: it travels encrypted, and is never written down. */
export interface NodeVolume extends PublishedVolume {
  name: string
  driver: string
  state: PublishStatus['State']
}

/** Who is told of it: this machine, or a worker over its session. */
export interface VolumeSink {
  /** All that the node is to have, and those that it is to let go of. */
  volumes(all: NodeVolume[]): void
  volume(volume: NodeVolume): void
  volumeGone(id: string): void
}

const maxPlugins = 100
const short = z.string().max(4_096)

/** What the plugins of a node say of it. */
export const CsiNodes = z
  .array(
    z.object({
      plugin: short,
      nodeId: short,
      maxVolumes: z.number().int().nonnegative(),
      topology: z.record(short, short),
    }),
  )
  .max(maxPlugins)
export type CsiNodes = z.output<typeof CsiNodes>

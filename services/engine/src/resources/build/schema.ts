// What is kept of builds, as answers show it.
import { z } from 'zod'

export const BuildCachePruned = z.object({ CachesDeleted: z.array(z.string()), SpaceReclaimed: z.number() })
export type BuildCachePruned = z.output<typeof BuildCachePruned>

// Which container is attached to.
import { z } from 'zod'

export const AttachParams = z.object({ id: z.string() })
export const detachKeys = z.string().max(1_000).optional()

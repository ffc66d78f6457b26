import { z } from 'zod'

export const ContainerName = z.object({ id: z.string() })

/** What clients of old versions ask for a copy of. */
export const CopyRequest = z.object({ Resource: z.string() })

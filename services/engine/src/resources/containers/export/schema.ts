import { z } from 'zod'

export const ContainerName = z.object({ id: z.string() })

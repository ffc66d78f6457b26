import { z } from 'zod'

export const ContainerName = z.object({ id: z.string() })

/** 0 changed, 1 added, 2 deleted. */
export const Change = z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) })
export type Change = z.output<typeof Change>

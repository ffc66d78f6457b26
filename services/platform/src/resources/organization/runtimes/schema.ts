import { z } from 'zod'

export const RuntimeParams = z.strictObject({ runtime: z.string() })

export const RuntimeObject = z.object({
  object: z.literal('organization.runtime'),
  /** Its name in the configuration. */
  id: z.string(),
  kind: z.string(),
  /** The name of its GGUF file, where it has one. */
  file: z.string().nullable(),
  /** `ready`: it answers, or loads its model with the first call. */
  status: z.enum(['loaded', 'ready', 'unavailable']),
  /** Why it cannot be served, and what to do. */
  problem: z.string().nullable(),
  running: z.int(),
  waiting: z.int(),
  /** Whether it can be loaded and unloaded by hand. */
  is_loadable: z.boolean(),
  models: z.array(z.object({ id: z.string(), serves: z.array(z.string()) })),
})
export type RuntimeObject = z.infer<typeof RuntimeObject>

/** Not paginated: they are the configuration's. */
export const RuntimeList = z.object({ object: z.literal('list'), data: z.array(RuntimeObject) })
export type RuntimeList = z.infer<typeof RuntimeList>

import { z } from 'zod'

export const ModelParams = z.strictObject({ model: z.string() })

export const ModelObject = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})
export type ModelObject = z.infer<typeof ModelObject>

/** Not paginated: no cursors. */
export const ModelList = z.object({ object: z.literal('list'), data: z.array(ModelObject) })
export type ModelList = z.infer<typeof ModelList>

export const ModelDeleted = z.object({ id: z.string(), object: z.literal('model'), deleted: z.literal(true) })

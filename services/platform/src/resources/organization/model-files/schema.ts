import { z } from 'zod'

export const ModelFileParams = z.strictObject({ model_file: z.string() })

export const ModelFileObject = z.object({
  object: z.literal('organization.model_file'),
  /** What ./atoll models calls it. */
  id: z.string(),
  /** `partial`: it was begun, and goes on from there when it is pulled again. */
  status: z.enum(['available', 'pulling', 'checking', 'partial', 'installed']),
  bytes: z.int().nullable(),
  fetched_bytes: z.int(),
  /** Why it cannot be used, or why the last pull failed. */
  problem: z.string().nullable(),
  parameters: z.string().nullable(),
  license: z.string().nullable(),
  /** What it is good for. */
  description: z.string().nullable(),
  /** Whether it can be pulled by its name. */
  is_listed: z.boolean(),
})
export type ModelFileObject = z.infer<typeof ModelFileObject>

/** Not paginated: a folder, and a short list of what can be had. */
export const ModelFileList = z.object({ object: z.literal('list'), data: z.array(ModelFileObject) })
export type ModelFileList = z.infer<typeof ModelFileList>

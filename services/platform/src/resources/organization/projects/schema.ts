import { z } from 'zod'
import { Name } from '../schema.ts'

export const ProjectParams = z.strictObject({ project_id: z.string() })

export const NamedProject = z.strictObject({ name: Name })

// AST-222
export const ProjectObject = z.object({
  object: z.literal('organization.project'),
  id: z.string(),
  name: z.string(),
  created_at: z.int(),
  archived_at: z.int().nullable(),
  status: z.enum(['active', 'archived']),
})
export type ProjectObject = z.infer<typeof ProjectObject>

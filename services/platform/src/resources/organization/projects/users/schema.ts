import { z } from 'zod'
import { deletedObject, ProjectRole } from '../../schema.ts'

export const ProjectUserParams = z.strictObject({ project_id: z.string(), user_id: z.string() })

export const AddProjectUser = z.strictObject({ user_id: z.string().min(1).max(128), role: ProjectRole })

export const UpdateProjectUser = z.strictObject({ role: ProjectRole })

// AST-234
export const ProjectUserObject = z.object({
  object: z.literal('organization.project.user'),
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: ProjectRole,
  added_at: z.int(),
})
export type ProjectUserObject = z.infer<typeof ProjectUserObject>

export const ProjectUserDeleted = deletedObject('organization.project.user.deleted')
export type ProjectUserDeleted = z.infer<typeof ProjectUserDeleted>

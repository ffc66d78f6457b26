import { z } from 'zod'
import { deletedObject, Name, ProjectRole } from '../../schema.ts'

export const ServiceAccountParams = z.strictObject({ project_id: z.string(), service_account_id: z.string() })

export const CreateServiceAccount = z.strictObject({ name: Name })

// AST-242
export const ServiceAccountObject = z.object({
  object: z.literal('organization.project.service_account'),
  id: z.string(),
  name: z.string(),
  role: ProjectRole,
  created_at: z.int(),
})
export type ServiceAccountObject = z.infer<typeof ServiceAccountObject>

/** The key is shown here and never again. AST-237 */
export const NewServiceAccountObject = ServiceAccountObject.extend({
  api_key: z.object({
    object: z.literal('organization.project.service_account.api_key'),
    value: z.string(),
    name: z.string(),
    created_at: z.int(),
    id: z.string(),
  }),
})
export type NewServiceAccountObject = z.infer<typeof NewServiceAccountObject>

export const ServiceAccountDeleted = deletedObject('organization.project.service_account.deleted')
export type ServiceAccountDeleted = z.infer<typeof ServiceAccountDeleted>

import { z } from 'zod'
import { deletedObject, Name, ProjectRole } from '../../schema.ts'

export const ServiceAccountParams = z.strictObject({ project_id: z.string(), service_account_id: z.string() })

/** As later clients ask: an account without a key could do nothing here. */
const withKey = { create_service_account_only: z.literal(false).nullish() }

export const CreateServiceAccount = z.strictObject({ name: Name, ...withKey })

export const UpdateServiceAccount = z.strictObject({ name: Name.optional(), role: ProjectRole.optional() })
export type UpdateServiceAccount = z.infer<typeof UpdateServiceAccount>

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

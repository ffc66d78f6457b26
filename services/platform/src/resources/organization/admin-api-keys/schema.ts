import { z } from 'zod'
import { deletedObject, Name, OrganizationRole } from '../schema.ts'

export const AdminApiKeyParams = z.strictObject({ key_id: z.string() })

export const CreateAdminApiKey = z.strictObject({ name: Name })

export const AdminApiKeyObject = z.object({
  object: z.literal('organization.admin_api_key'),
  id: z.string(),
  name: z.string(),
  redacted_value: z.string(),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
  /** They do not expire by themselves. */
  expires_at: z.null(),
  owner: z.object({
    type: z.literal('user'),
    object: z.literal('organization.user'),
    id: z.string(),
    name: z.string(),
    created_at: z.int(),
    role: OrganizationRole,
  }),
})
export type AdminApiKeyObject = z.infer<typeof AdminApiKeyObject>

/** The key itself is shown here and never again. */
export const NewAdminApiKeyObject = AdminApiKeyObject.extend({ value: z.string() })
export type NewAdminApiKeyObject = z.infer<typeof NewAdminApiKeyObject>

export const AdminApiKeyDeleted = deletedObject('organization.admin_api_key.deleted')
export type AdminApiKeyDeleted = z.infer<typeof AdminApiKeyDeleted>

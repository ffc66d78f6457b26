import { z } from 'zod'
import { deletedObject, OrganizationRole } from '../schema.ts'

export const UserParams = z.strictObject({ user_id: z.string() })

export const UserUpdate = z.strictObject({ role: OrganizationRole })

// AST-213
export const UserObject = z.object({
  object: z.literal('organization.user'),
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: OrganizationRole,
  added_at: z.int(),
})
export type UserObject = z.infer<typeof UserObject>

export const UserDeleted = deletedObject('organization.user.deleted')
export type UserDeleted = z.infer<typeof UserDeleted>

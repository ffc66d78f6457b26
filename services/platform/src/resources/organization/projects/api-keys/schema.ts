import { z } from 'zod'
import { deletedObject, ProjectRole } from '../../schema.ts'
import { ServiceAccountObject } from '../service-accounts/schema.ts'
import { ProjectUserObject } from '../users/schema.ts'

export const ProjectApiKeyParams = z.strictObject({ project_id: z.string(), key_id: z.string() })

// AST-249. The documents say `created_at`, typed clients of the time `added_at`.
const UserOwner = z.object({
  type: z.literal('user'),
  user: ProjectUserObject.extend({ role: ProjectRole, created_at: z.int() }),
})

const ServiceAccountOwner = z.object({ type: z.literal('service_account'), service_account: ServiceAccountObject })

// AST-248
export const ProjectApiKeyObject = z.object({
  object: z.literal('organization.project.api_key'),
  id: z.string(),
  name: z.string(),
  redacted_value: z.string(),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
  owner: z.discriminatedUnion('type', [UserOwner, ServiceAccountOwner]),
})
export type ProjectApiKeyObject = z.infer<typeof ProjectApiKeyObject>

export const ProjectApiKeyDeleted = deletedObject('organization.project.api_key.deleted')
export type ProjectApiKeyDeleted = z.infer<typeof ProjectApiKeyDeleted>

import { z } from 'zod'
import { deletedObject, Name, OrganizationRole, ProjectRole } from '../schema.ts'
import { UserObject } from '../users/schema.ts'

const maxEmailLetters = 254
const maxInvitedProjects = 100
const maxTokenLetters = 256
const emailForm = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u

export const InviteParams = z.strictObject({ invite_id: z.string() })

const InvitedProject = z.object({ id: z.string(), role: ProjectRole })

const InvitedProjects = z
  .array(z.strictObject({ id: z.string().min(1).max(128), role: ProjectRole }))
  .max(maxInvitedProjects)
  .refine((projects) => new Set(projects.map(({ id }) => id)).size === projects.length, {
    message: 'a project is listed more than once.',
  })

export const CreateInvite = z.strictObject({
  email: z
    .string()
    .max(maxEmailLetters)
    .refine((text) => emailForm.test(text.trim()), { message: 'it is no e-mail address, such as ada@example.com.' }),
  role: OrganizationRole,
  projects: InvitedProjects.default([]),
})

// AST-208; `created_at` and `projects` are what newer clients read.
export const InviteObject = z.object({
  object: z.literal('organization.invite'),
  id: z.string(),
  email: z.string(),
  role: OrganizationRole,
  status: z.enum(['pending', 'accepted', 'expired']),
  invited_at: z.int(),
  created_at: z.int(),
  expires_at: z.int(),
  accepted_at: z.int().nullable(),
  projects: z.array(InvitedProject),
})
export type InviteObject = z.infer<typeof InviteObject>

/** The token is shown here and never again. */
export const SentInviteObject = InviteObject.extend({ accept_token: z.string() })
export type SentInviteObject = z.infer<typeof SentInviteObject>

export const InviteDeleted = deletedObject('organization.invite.deleted')
export type InviteDeleted = z.infer<typeof InviteDeleted>

export const AcceptInvite = z.strictObject({
  token: z.string().min(1).max(maxTokenLetters),
  name: Name.optional(),
  with_key: z.boolean().default(false),
})
export type AcceptInvite = z.output<typeof AcceptInvite>

export const AcceptedInvite = z.object({
  object: z.literal('organization.invite.accepted'),
  organization_id: z.string(),
  user: UserObject,
  api_key: z.object({ id: z.string(), name: z.string(), value: z.string(), created_at: z.int() }).optional(),
})
export type AcceptedInvite = z.infer<typeof AcceptedInvite>

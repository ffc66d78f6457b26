import { z } from 'zod'
import { Role, Ttl } from '../../identity/schema.ts'

const Email = z
  .string()
  .max(254)
  .regex(/^[^\s:@]+@[^\s:@]+$/, 'expected an email address')
const Name = z
  .string()
  .min(1)
  .max(254)
  .regex(/^[^\p{Cc}]+$/u, 'expected no control characters')

const changeable = {
  name: Name.optional(),
  email_alerts: z.boolean().optional(),
  bdbs_email_alerts: z.array(z.string().max(64)).max(1_000).optional(),
  auth_method: z.literal('regular').optional(),
}

export const CreateUser = z.strictObject({ email: Email, password: z.string(), role: Role, ...changeable })
export type CreateUser = z.output<typeof CreateUser>

export const UpdateUser = z.strictObject({
  email: Email.optional(),
  password: z.string().optional(),
  role: Role.optional(),
  ...changeable,
})
export type UpdateUser = z.output<typeof UpdateUser>

export const UserParams = z.object({
  uid: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'expected the number of a user')
    .transform(Number),
})

export const UserObject = z.object({
  uid: z.int(),
  email: z.string(),
  name: z.string(),
  role: Role,
  status: z.enum(['active', 'locked']),
  auth_method: z.literal('regular'),
  email_alerts: z.boolean(),
  bdbs_email_alerts: z.array(z.string()),
  password_issue_date: z.string(),
})
export type UserObject = z.output<typeof UserObject>

/** Without a name, the credentials are in the header. */
export const AuthorizeBody = z
  .strictObject({ username: z.string().max(254).optional(), password: z.string().max(1_024).optional(), ttl: Ttl })
  .refine(({ username, password }) => (username === undefined) === (password === undefined), {
    message: 'username and password come together',
  })
  .prefault({})

export const RefreshBody = z.strictObject({ ttl: Ttl }).prefault({})

export const TokenObject = z.object({ access_token: z.string() })

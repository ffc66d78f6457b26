import { z } from 'zod'

const User = z.object({ id: z.string(), email: z.string() })
const origin = { ip_address: z.string().optional(), user_agent: z.string().optional() }

const Actor = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('api_key'), // AST-261
    api_key: z.discriminatedUnion('type', [
      z.object({ id: z.string(), type: z.literal('user'), user: User, ...origin }),
      z.object({
        id: z.string(),
        type: z.literal('service_account'),
        service_account: z.object({ id: z.string() }),
        ...origin,
      }),
    ]),
  }),
  z.object({ type: z.literal('session'), session: z.object({ user: User.optional(), ...origin }) }), // AST-262
  z.object({ type: z.literal('system') }),
])

/** Beside these, the details in a property named after the type. AST-258 */
export const AuditLogObject = z.looseObject({
  id: z.string(),
  type: z.string(),
  effective_at: z.int(),
  project: z.object({ id: z.string(), name: z.string() }).optional(),
  actor: Actor,
})
export type AuditLogObject = z.infer<typeof AuditLogObject>

export const AuditSettings = z.object({
  object: z.literal('organization.settings'),
  audit_logging: z.object({ activated: z.literal(true), activated_at: z.int() }),
})
export type AuditSettings = z.infer<typeof AuditSettings>

export const AuditLogVerification = z.object({
  object: z.literal('organization.audit_log.verification'),
  intact: z.boolean(),
  /** So many, from the first on, are as they were written. */
  entries: z.int(),
  /** Of the newest entry: whoever keeps it elsewhere can tell later that nothing before it changed. */
  hash: z.string().optional(),
  /** Number of the first entry that is not as it was written. */
  broken_at: z.int().optional(),
  problem: z.enum(['changed', 'removed', 'added', 'deactivated']).optional(),
})
export type AuditLogVerification = z.infer<typeof AuditLogVerification>

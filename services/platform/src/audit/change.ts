// What the audit log can tell of.

export const auditTypes = [
  'api_key.created',
  'api_key.updated',
  'api_key.deleted',
  'engine.requested',
  'engine.refused',
  'invite.sent',
  'invite.accepted',
  'invite.deleted',
  'login.succeeded',
  'login.failed',
  'logout.succeeded',
  'logout.failed',
  'organization.updated',
  'project.created',
  'project.updated',
  'project.archived',
  'service_account.created',
  'service_account.updated',
  'service_account.deleted',
  'rate_limit.updated',
  'rate_limit.deleted',
  'user.added',
  'user.updated',
  'user.deleted',
] as const
export type AuditType = (typeof auditTypes)[number]

export interface Change {
  type: AuditType
  /** The project it was made in. */
  projectId?: string
  /** What stands in the property named after the type: `id`, and as the type has it `data` or `changes_requested`. */
  details: { id?: string; data?: Record<string, unknown>; changes_requested?: Record<string, unknown> } & Record<
    string,
    unknown
  >
}

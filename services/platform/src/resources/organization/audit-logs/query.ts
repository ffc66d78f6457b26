// What may be asked of the audit log.
import { integerParam, integerParamOr, listParam } from '@atoll/kernel/http/query'
import { z } from 'zod'

/** Kinds that newer clients know and Atoll never writes are no mistake: they find nothing. */
const EventType = z
  .string()
  .regex(/^[a-z_]+(\.[a-z_]+)+$/, 'an event type such as project.created')
  .max(100)
const Id = z.string().min(1).max(256)
const Cursor = z.string().min(1).max(256)
const time = () => integerParam({ min: 0, max: Number.MAX_SAFE_INTEGER })

export const AuditLogQuery = z.strictObject({
  type: listParam(EventType), // AST-256
  event_types: listParam(EventType),
  effective_at: z.strictObject({ gt: time(), gte: time(), lt: time(), lte: time() }).partial().optional(),
  project_ids: listParam(Id),
  actor_ids: listParam(Id),
  actor_emails: listParam(Id),
  resource_ids: listParam(Id),
  limit: integerParamOr(20, { min: 1, max: 100 }),
  after: Cursor.optional(), // AST-257
  before: Cursor.optional(),
})
export type AuditLogQuery = z.output<typeof AuditLogQuery>

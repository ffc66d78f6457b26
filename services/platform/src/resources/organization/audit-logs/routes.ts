import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { auditErrors } from '../../../errors/errors.ts'
import { AuditLogQuery } from './query.ts'
import { AuditLogObject, AuditLogVerification, AuditSettings } from './schema.ts'
import type { AuditLogs } from './service.ts'

export const auditLogRoutes = (logs: AuditLogs) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/audit_logs',
    auth: 'admin',
    summary: 'List what administrators did, the newest first',
    query: AuditLogQuery,
    response: listOf(AuditLogObject),
    handler: (exchange) => logs.list(exchange, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/audit_logs/activate',
    auth: 'admin',
    summary: 'Activate the audit log, for good',
    response: AuditSettings,
    handler: (exchange) => logs.activate(exchange),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/audit_logs/verification',
    auth: 'admin',
    summary: 'Read the whole audit log, and tell whether every entry is there and as it was written',
    response: AuditLogVerification,
    handler: (exchange) => logs.verify(exchange),
  }),
  // AST-264
  defineRoute({
    method: 'POST',
    path: '/v1/organization/audit_logs/deactivate',
    auth: 'admin',
    summary: 'Refused: an audit log stays active',
    response: AuditSettings,
    handler: () => {
      throw auditErrors.permanent()
    },
  }),
]

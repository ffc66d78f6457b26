// What identity is built from.
import type { Kernel } from '@atoll/kernel/kernel'
import type { AuditLog } from '../audit/audit-log.ts'

export type IdentityParts = Pick<Kernel, 'db' | 'events' | 'ids' | 'clock' | 'log'> & {
  audit: Pick<AuditLog, 'record'>
}

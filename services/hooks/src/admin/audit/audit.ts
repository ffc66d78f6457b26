// Who changed what about the gateway, in a chain that shows every later change to it.
import { AuditChain } from '@atoll/kernel/audit/audit-chain'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'

export interface AuditEntry {
  address: string
  method: string
  path: string
  /** Of the answer; 0: it was let in and is about to be done. */
  status: number
  requestId: string
  details?: unknown
}

export class Audit extends AuditChain<AuditEntry> {
  constructor(parts: { db: Database; clock: Clock }) {
    super(parts, 'hooks')
  }
}

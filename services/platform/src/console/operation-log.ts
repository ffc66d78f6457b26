// What owners have the engine do through the console, in the audit log of their organization. An action is on record
// before the engine hears of it, so a crash leaves none without its entry; a refusal follows as an entry of its own.
import type { Database } from '@atoll/kernel/db/database'
import type { Destination } from '@atoll/kernel/http/forward/forwarding'
import type { RequestHead } from '@atoll/kernel/http/route'
import { originOf } from '../audit/actor-of.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { AuditType } from '../audit/change.ts'
import { engineActionOf } from './engine-action.ts'

type Head = Pick<RequestHead, 'address' | 'headers'>

const firstRefusal = 400

const nothingToTell = async (): Promise<void> => undefined

export class OperationLog {
  readonly #parts: { db: Database; audit: AuditLog }

  constructor(parts: { db: Database; audit: AuditLog }) {
    this.#parts = parts
  }

  /** Writes down what somebody asks of the engine. */
  recorder(head: Head, organizationId: string, userId: string): NonNullable<Destination['record']> {
    const by = { type: 'session' as const, userId, ...originOf(head) }
    const { db, audit } = this.#parts
    const write = (type: AuditType, details: Record<string, unknown>): Promise<void> =>
      db.transaction((tx) => audit.record(tx, by, organizationId, { type, details }))
    return async (request) => {
      const action = engineActionOf(request)
      if (action === undefined) return nothingToTell
      await write('engine.requested', { ...action })
      return async (status) => {
        if (status >= firstRefusal) await write('engine.refused', { ...action, status })
      }
    }
  }
}

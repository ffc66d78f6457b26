// The audit log as administrators see it: activated once, read ever after.
import type { Queries } from '@atoll/kernel/db/database'
import { actorOf } from '../../../audit/actor-of.ts'
import type { AuditLog } from '../../../audit/audit-log.ts'
import { chainOf } from '../../../audit/chain-name.ts'
import { type LogReport, verifyLog } from '../../../audit/verify.ts'
import type { ListEnvelope } from '../../../conventions/lists.ts'
import { auditErrors, listErrors } from '../../../errors/errors.ts'
import type { Administrator } from '../administrator.ts'
import type { AuditLogQuery } from './query.ts'
import type { AuditLogObject, AuditLogVerification, AuditSettings } from './schema.ts'
import { findEntries, findSeq, type LogFilters } from './store.ts'

interface Parts {
  queries: Queries
  audit: AuditLog
}

export class AuditLogs {
  readonly #parts: Parts
  /** One for each organization: whoever asks meanwhile gets the same. */
  readonly #verifications = new Map<string, Promise<LogReport>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** May be repeated: it changes something the first time only. */
  async activate(by: Administrator): Promise<AuditSettings> {
    const activatedAt = await this.#parts.audit.activate(actorOf(by), by.caller.organizationId)
    return { object: 'organization.settings', audit_logging: { activated: true, activated_at: activatedAt } }
  }

  async verify({ caller: { organizationId } }: Administrator): Promise<AuditLogVerification> {
    const report = await this.#reportOn(organizationId)
    // Nothing was ever written; what was switched off past Atoll has entries.
    if (!report.intact && report.problem === 'deactivated' && report.entries === 0) throw auditErrors.inactive()
    return presentReport(report)
  }

  #reportOn(organizationId: string): Promise<LogReport> {
    const running = this.#verifications.get(organizationId)
    if (running) return running
    const begun = verifyLog(this.#parts.queries, organizationId).finally(() =>
      this.#verifications.delete(organizationId),
    )
    this.#verifications.set(organizationId, begun)
    return begun
  }

  /** The newest first. */
  async list({ caller }: Administrator, query: AuditLogQuery): Promise<ListEnvelope<AuditLogObject>> {
    const { organizationId } = caller
    const { limit } = query
    const olderThan = await this.#seqOf(organizationId, query, 'after')
    const newerThan = await this.#seqOf(organizationId, query, 'before')
    const backwards = newerThan !== undefined && olderThan === undefined
    const range = {
      ...(olderThan === undefined ? {} : { olderThan }),
      ...(newerThan === undefined ? {} : { newerThan }),
      limit,
      from: backwards ? ('oldest' as const) : ('newest' as const),
    }
    const scope = { organizationId, chain: chainOf(organizationId) }
    const found = await findEntries(this.#parts.queries, scope, filtersOf(query), range)
    const data = found.slice(0, limit).map(present)
    if (backwards) data.reverse()
    return {
      object: 'list',
      data,
      first_id: data.at(0)?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    }
  }

  async #seqOf(organizationId: string, query: AuditLogQuery, name: 'after' | 'before'): Promise<number | undefined> {
    const cursor = query[name]
    if (cursor === undefined) return undefined
    const row = await findSeq(this.#parts.queries, organizationId, cursor)
    if (!row) throw listErrors.invalidCursor(name)
    return row.seq
  }
}

function filtersOf(query: AuditLogQuery): LogFilters {
  const types = [...(query.type ?? []), ...(query.event_types ?? [])]
  return {
    ...(types.length > 0 ? { types } : {}),
    ...(query.project_ids ? { projectIds: query.project_ids } : {}),
    ...(query.actor_ids ? { actorIds: query.actor_ids } : {}),
    ...(query.actor_emails ? { actorEmails: query.actor_emails.map((email) => email.toLowerCase()) } : {}),
    ...(query.resource_ids ? { resourceIds: query.resource_ids } : {}),
    ...(query.effective_at ? { effectiveAt: query.effective_at } : {}),
  }
}

/** `at` is the chain's own, to the millisecond. */
function present({ entry }: { entry: string }): AuditLogObject {
  const { at: _, ...shown } = JSON.parse(entry) as AuditLogObject & { at: string }
  return shown as AuditLogObject
}

const presentReport = (report: LogReport): AuditLogVerification => ({
  object: 'organization.audit_log.verification',
  intact: report.intact,
  entries: report.entries,
  ...('hash' in report ? { hash: report.hash } : { problem: report.problem }),
  ...('brokenAt' in report ? { broken_at: report.brokenAt } : {}),
})

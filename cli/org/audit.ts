// The audit log from the command line.

import type { AuditLogObject, AuditSettings } from '@atoll/platform/resources/organization/audit-logs/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { show } from '../table.ts'
import { confirm } from './confirm.ts'
import { type ListFlags, type SureFlags, when } from './people.ts'
import { serverFrom } from './server-from.ts'
import { startOf } from './since.ts'

interface AuditFlags extends ListFlags {
  type: string[]
  since?: string
  limit: string
}

const mostEntries = 10_000

export const listAudit = (flags: AuditFlags): Promise<void> =>
  telling(async () => {
    const limit = Number(flags.limit)
    if (!Number.isInteger(limit) || limit < 1 || limit > mostEntries) {
      throw new CommandProblem(`--limit is a whole number from 1 to ${mostEntries}.`)
    }
    const query = {
      ...(flags.type.length === 0 ? {} : { event_types: flags.type }),
      ...(flags.since === undefined ? {} : { 'effective_at[gte]': startOf(flags.since, Date.now()) }),
    }
    const server = serverFrom(flags, process.env)
    show(await server.all<AuditLogObject>('/organization/audit_logs', query, limit), {
      ...flags,
      titles: ['TIME', 'TYPE', 'WHO', 'FROM', 'PROJECT', 'WHAT'],
      row: rowOf,
      none: 'The audit log has no such entries. To have it kept: ./atoll org activate-audit',
    })
  })

function rowOf(entry: AuditLogObject): string[] {
  const { who, from } = actorText(entry)
  const details = (entry[entry.type] ?? {}) as { id?: string }
  return [when(entry.effective_at), entry.type, who, from, entry.project?.name ?? '-', details.id ?? '-']
}

function actorText({ actor }: AuditLogObject): { who: string; from: string } {
  if (actor.type === 'system') return { who: 'Atoll', from: '-' }
  if (actor.type === 'session') {
    return { who: actor.session.user?.email ?? '-', from: actor.session.ip_address ?? '-' }
  }
  const { api_key } = actor
  const who = api_key.type === 'user' ? api_key.user.email : api_key.service_account.id
  return { who, from: api_key.ip_address ?? '-' }
}

export const activateAudit = (flags: SureFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    await confirm('Activate the audit log? It cannot be switched off again.', flags.yes)
    const settings = await server.send<AuditSettings>('/organization/audit_logs/activate', { method: 'POST' })
    console.log(`The audit log is active since ${when(settings.audit_logging.activated_at)}.`)
  })

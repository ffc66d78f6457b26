// Forgets single calls, and sums by the minute, that are older than their time. Sums by the hour and day stay: costs and
// reports are made of them. All in small pieces, each a moment of the database.
import type { Queries } from '@atoll/kernel/db/database'
import type { Kernel } from '@atoll/kernel/kernel'
import { sql } from 'kysely'
import { bucketWidths } from './roll-up.ts'

const pruneEverySeconds = 3_600
const eventsAtOnce = 500
/** Of one kind of call of one organization. */
const minutesAtOnce = 60
const daySeconds = 86_400

export interface UsageRetention {
  usageEventDays: number
  usageMinuteDays: number
}

type Parts = Pick<Kernel, 'db' | 'clock'>

export function pruneUsageBy(kernel: Parts & Pick<Kernel, 'jobs'>, retention: UsageRetention): void {
  kernel.jobs.registerPeriodic('prune-usage', pruneEverySeconds, (signal) => pruneUsage(kernel, retention, signal))
}

export async function pruneUsage({ db, clock }: Parts, retention: UsageRetention, signal?: AbortSignal): Promise<void> {
  const before = (days: number) => Math.floor(clock.now() / 1000) - days * daySeconds
  await pruneEvents(db.queries, before(retention.usageEventDays), signal)
  await pruneMinutes(db.queries, before(retention.usageMinuteDays), signal)
}

async function pruneEvents(queries: Queries, before: number, signal?: AbortSignal): Promise<void> {
  let organization = ''
  while (!signal?.aborted) {
    const next = await queries
      .selectFrom('usage_events')
      .select('organization_id')
      .where('organization_id', '>', organization)
      .orderBy('organization_id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) return
    organization = next.organization_id
    while (!signal?.aborted && (await removeOldestEvents(queries, organization, before)));
  }
}

/** False when none is older. */
async function removeOldestEvents(queries: Queries, organization: string, before: number): Promise<boolean> {
  const oldest = await queries
    .selectFrom('usage_events')
    .select('id')
    .where('organization_id', '=', organization)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(eventsAtOnce)
    .execute()
  const ids = oldest.map(({ id }) => id)
  if (ids.length > 0) await queries.deleteFrom('usage_events').where('id', 'in', ids).execute()
  return ids.length === eventsAtOnce
}

interface Group {
  organization_id: string
  kind: string
}

async function pruneMinutes(queries: Queries, before: number, signal?: AbortSignal): Promise<void> {
  let group: Group = { organization_id: '', kind: '' }
  while (!signal?.aborted) {
    const next = await nextGroup(queries, group)
    if (next === undefined) return
    group = next
    while (!signal?.aborted && (await removeOldestMinutes(queries, group, before)));
  }
}

/** From group to group by the key, without reading the rows between. */
async function nextGroup(queries: Queries, { organization_id, kind }: Group): Promise<Group | undefined> {
  const { rows } = await sql<Group>`select organization_id, kind from usage_buckets
    where (organization_id, kind) > (${organization_id}, ${kind})
    order by organization_id, kind limit 1`.execute(queries)
  return rows[0]
}

/** False when none is older. */
async function removeOldestMinutes(queries: Queries, group: Group, before: number): Promise<boolean> {
  const minutes = queries
    .selectFrom('usage_buckets')
    .where('organization_id', '=', group.organization_id)
    .where('kind', '=', group.kind)
    .where('width', '=', bucketWidths['1m'])
  const oldest = await minutes.select('start').orderBy('start').limit(1).executeTakeFirst()
  if (oldest === undefined || oldest.start >= before) return false
  await queries
    .deleteFrom('usage_buckets')
    .where('organization_id', '=', group.organization_id)
    .where('kind', '=', group.kind)
    .where('width', '=', bucketWidths['1m'])
    .where('start', '<', Math.min(before, oldest.start + minutesAtOnce * bucketWidths['1m']))
    .execute()
  return true
}

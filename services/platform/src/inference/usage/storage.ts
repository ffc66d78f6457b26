// How many bytes each project keeps in vector stores, over time: looked at every minute, and written down when it has
// changed. Between two looks it counts as what it was at the first.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import { sql } from 'kysely'
import { bytesByProject } from '../../resources/vector-stores/stored-bytes.ts'
import { costsPerDollar } from './list-price.ts'

const measureEverySeconds = 60
const bytesPerGigabyte = 1_000_000_000
const secondsPerDay = 86_400

interface StorageRow {
  organization_id: string
  project_id: string
  /** Unix seconds. */
  since: number
  bytes: number
  /** By the price list of that moment, in billionths of a US dollar. */
  gigabyte_day_cost: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    usage_storage: StorageRow
  }
}

/** From `since` until the next one. */
export type StorageStep = Pick<StorageRow, 'since' | 'bytes' | 'gigabyte_day_cost'>

interface Span {
  from: number
  to: number
  projectIds?: readonly string[] | undefined
}

interface Parts {
  db: Database
  clock: Clock
  /** US dollars. */
  gigabyteDayPrice: number
}

export class StorageUse {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  keepMeasuring(jobs: Pick<Jobs, 'registerPeriodic'>): void {
    jobs.registerPeriodic('measure-vector-stores', measureEverySeconds, () => this.measure())
  }

  /** One statement, so that whatever ends this process leaves all of it or nothing. */
  async measure(): Promise<void> {
    const { db, clock, gigabyteDayPrice } = this.#parts
    const now = unixSeconds(clock)
    const cost = Math.round(gigabyteDayPrice * costsPerDollar)
    await sql`
      insert into usage_storage (organization_id, project_id, since, bytes, gigabyte_day_cost)
      select organization_id, project_id, cast(${now} as bigint), bytes, cast(${cost} as bigint)
      from (
        select projects.organization_id, projects.id as project_id, coalesce(held.bytes, 0) as bytes
        from projects left join (${bytesByProject}) as held on held.project_id = projects.id
      ) as looked
      where not exists (
        select 1 from usage_storage as last
        where last.organization_id = looked.organization_id and last.project_id = looked.project_id
          and last.bytes = looked.bytes and (last.gigabyte_day_cost = ${cost} or looked.bytes = 0)
          and last.since = (
            select max(since) from usage_storage as known
            where known.organization_id = looked.organization_id and known.project_id = looked.project_id
          )
      ) and (bytes > 0 or exists (
        select 1 from usage_storage as known
        where known.organization_id = looked.organization_id and known.project_id = looked.project_id
      ))
      on conflict (organization_id, project_id, since)
        do update set bytes = excluded.bytes, gigabyte_day_cost = excluded.gigabyte_day_cost`.execute(db.queries)
  }

  /** Each project's steps, from the one that holds at `from`. */
  async history(organizationId: string, { from, to, projectIds }: Span) {
    const rows = await this.#parts.db.queries
      .selectFrom('usage_storage as step')
      .select(['project_id', 'since', 'bytes', 'gigabyte_day_cost'])
      .where('organization_id', '=', organizationId)
      .where('since', '<', to)
      .where(({ eb, selectFrom }) =>
        eb(
          'since',
          '>=',
          selectFrom('usage_storage as first')
            .select(({ fn }) => fn.coalesce(fn.max('first.since'), sql<number>`0`).as('since'))
            .where('first.organization_id', '=', organizationId)
            .whereRef('first.project_id', '=', 'step.project_id')
            .where('first.since', '<=', from),
        ),
      )
      .$if(projectIds !== undefined, (query) => query.where('project_id', 'in', projectIds ?? []))
      .orderBy('project_id')
      .orderBy('since')
      .execute()
    const projects = Map.groupBy(rows, ({ project_id }) => project_id)
    return [...projects].map(([projectId, steps]) => ({ projectId, steps: steps as StorageStep[] }))
  }
}

/** What lay there in a span of time, and for how long. */
function* partsOf(steps: readonly StorageStep[], from: number, to: number) {
  for (let index = stepAt(steps, from); index < steps.length; index++) {
    const step = steps[index] as StorageStep
    if (step.since >= to) return
    const begin = Math.max(from, step.since)
    yield { step, seconds: Math.min(to, steps[index + 1]?.since ?? to) - begin }
  }
}

/** Index of the last step that began by then, or 0. */
function stepAt(steps: readonly StorageStep[], time: number): number {
  let [low, high] = [0, steps.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((steps[middle] as StorageStep).since <= time) low = middle
    else high = middle
  }
  return low
}

export function mostBytes(steps: readonly StorageStep[], from: number, to: number): number {
  let most = 0
  for (const { step } of partsOf(steps, from, to)) most = Math.max(most, step.bytes)
  return most
}

/** In billionths of a US dollar: by bytes and time. */
export function storageCost(steps: readonly StorageStep[], from: number, to: number): number {
  let cost = 0
  for (const { step, seconds } of partsOf(steps, from, to)) {
    cost += (step.bytes / bytesPerGigabyte) * (seconds / secondsPerDay) * step.gigabyte_day_cost
  }
  return Math.round(cost)
}

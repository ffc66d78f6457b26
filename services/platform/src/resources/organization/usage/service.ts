// What an organization has used, in buckets of time.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { usageErrors } from '../../../errors/usage.ts'
import { bucketWidths } from '../../../inference/usage/roll-up.ts'
import { mostBytes, type StorageUse } from '../../../inference/usage/storage.ts'
import type { Administrator } from '../administrator.ts'
import { type CountedKind, kindShapes } from './kinds.ts'
import type { UsageQuery } from './query.ts'
import type { BucketPage, UsageKind } from './schema.ts'
import { bucketEntries, bucketSums, type Entry, type GroupColumn, type SumColumn } from './store.ts'
import { summed } from './summed.ts'
import { bucketPage, type TimeBuckets, timeBuckets } from './time-buckets.ts'

type Width = keyof typeof bucketWidths

const pageSizes: Record<Width, { usual: number; most: number }> = {
  '1m': { usual: 60, most: 1440 },
  '1h': { usual: 24, most: 168 },
  '1d': { usual: 7, most: 31 },
}

interface Parts {
  db: Database
  clock: Clock
  storage: StorageUse
}

export class Usage {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Of calls of models, and of sessions. */
  async counted<Result>(by: Administrator, kind: CountedKind, query: UsageQuery): Promise<BucketPage<Result>> {
    const { organizationId } = by.caller
    const buckets = this.#buckets(organizationId, kind, query)
    const { groups, sums } = kindShapes[kind]
    const asked = groups.filter((name) => query.group_by?.includes(name as 'project_id'))
    const columns = [...new Set(Object.values(sums))]
    const { width, from, to } = buckets
    const span = { organizationId, kind, width, from, to, groups: asked, sums: columns, filters: filtersOf(query) }
    const { db } = this.#parts
    const found = await (asked.length === 0 ? bucketSums(db.queries, span) : bucketEntries(db, span))
    const presented = presenter(kind, asked, columns)
    const results = new Map(found.map(({ start, entries }) => [start, summed(entries, asked.length).map(presented)]))
    return bucketPage(buckets, (start) => results.get(start) as Result[] | undefined)
  }

  /** The most bytes that a project's vector stores held at once in each bucket. AST-279 */
  async stored(by: Administrator, query: UsageQuery) {
    const { organizationId } = by.caller
    const buckets = this.#buckets(organizationId, 'vector_stores', query)
    const { width, from, to } = buckets
    const projects = await this.#parts.storage.history(organizationId, { from, to, projectIds: query.project_ids })
    const isGrouped = query.group_by?.includes('project_id') === true
    return bucketPage(buckets, (start) => {
      const held = projects
        .map(({ projectId, steps }) => storedResult(projectId, mostBytes(steps, start, start + width)))
        .filter(({ usage_bytes }) => usage_bytes > 0)
      if (isGrouped || held.length === 0) return held
      return [
        storedResult(
          null,
          held.reduce((sum, { usage_bytes }) => sum + usage_bytes, 0),
        ),
      ]
    })
  }

  #buckets(organizationId: string, kind: UsageKind, { page, limit, ...query }: UsageQuery): TimeBuckets {
    const { usual, most } = pageSizes[query.bucket_width]
    if (limit !== undefined && limit > most) throw usageErrors.limitTooLarge(query.bucket_width, most)
    const width = bucketWidths[query.bucket_width]
    const now = unixSeconds(this.#parts.clock)
    const span = { start_time: query.start_time, end_time: query.end_time, page }
    return timeBuckets(span, { width, limit: limit ?? usual, now, query: [organizationId, kind, sorted(query)] })
  }
}

/** Whatever order its parameters came in. */
const sorted = (query: object): unknown =>
  Object.entries(query)
    .map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value])
    .sort()

const storedResult = (projectId: string | null, usageBytes: number) => ({
  object: 'organization.usage.vector_stores.result' as const,
  usage_bytes: usageBytes,
  project_id: projectId,
})

function filtersOf(query: UsageQuery) {
  const filters: { column: GroupColumn; values: readonly (string | number)[] }[] = []
  const add = (column: GroupColumn, values: readonly string[] | undefined): void => {
    if (values !== undefined) filters.push({ column, values })
  }
  add('project_id', query.project_ids)
  add('user_id', query.user_ids)
  add('api_key_id', query.api_key_ids)
  add('model', query.models)
  add('size', query.sizes)
  add('source', query.sources)
  if (query.batch !== undefined) filters.push({ column: 'batch', values: [query.batch ? 1 : 0] })
  return filters
}

/** What it is not grouped by is null, and so is the user of what a service account did. */
function presenter(kind: CountedKind, asked: readonly GroupColumn[], columns: readonly SumColumn[]) {
  const shape = kindShapes[kind]
  const object = `organization.usage.${kind}.result`
  const sums = Object.entries(shape.sums).map(([name, column]) => ({
    ...{ name, place: asked.length + columns.indexOf(column), per: column === 'audio_ms' ? 1000 : 1 },
  }))
  const groups = asked.map((name, place) => ({ name, place }))
  const names = [...Object.keys(shape.sums), ...shape.groups]
  // Copies of one object are made, and turned into text, faster than objects put together key by key.
  const empty: Record<string, unknown> = { object, ...Object.fromEntries(names.map((name) => [name, null])) }
  return (entry: Entry): object => {
    const result = { ...empty }
    for (const { name, place, per } of sums)
      result[name] = per === 1 ? entry[place] : Math.round(Number(entry[place]) / per)
    for (const { name, place } of groups) {
      const value = entry[place]
      result[name] = value === '' ? null : name === 'batch' ? value === 1 : value
    }
    return result
  }
}

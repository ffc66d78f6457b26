// What an organization's usage costs by the price list, day by day. Each call was priced when it was made.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { costsPerDollar } from '../../../inference/usage/list-price.ts'
import { bucketWidths } from '../../../inference/usage/roll-up.ts'
import { type StorageUse, storageCost } from '../../../inference/usage/storage.ts'
import type { Administrator } from '../administrator.ts'
import type { BucketPage } from '../usage/schema.ts'
import { bucketPage, timeBuckets } from '../usage/time-buckets.ts'
import { costKinds, type LineItem, lineItemsOf, storageItem } from './line-items.ts'
import type { CostsQuery } from './query.ts'
import type { CostsResult } from './schema.ts'
import { sumCosts } from './store.ts'

const width = bucketWidths['1d']

interface Parts {
  db: Database
  clock: Clock
  storage: StorageUse
}

interface Entry extends LineItem {
  start: number
  projectId: string
  /** Null: of no key. */
  apiKeyId: string | null
}

type Group = NonNullable<CostsQuery['group_by']>[number]

export class Costs {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async page({ caller }: Administrator, query: CostsQuery): Promise<BucketPage<CostsResult>> {
    const { organizationId } = caller
    const { start_time, end_time, page, limit, project_ids, api_key_ids, group_by = [] } = query
    const now = unixSeconds(this.#parts.clock)
    const binding = [
      organizationId,
      'costs',
      start_time,
      end_time,
      [...(project_ids ?? [])].sort(),
      group_by.toSorted(),
      ...(api_key_ids === undefined ? [] : [api_key_ids.toSorted()]),
    ]
    const buckets = timeBuckets({ start_time, end_time, page }, { width, limit, now, query: binding })
    const entries = await this.#entries(organizationId, buckets, query, now)
    const byDay = Map.groupBy(entries, ({ start }) => start)
    return bucketPage(buckets, (start) => summed(byDay.get(start) ?? [], group_by))
  }

  async #entries(
    organizationId: string,
    { from, to, starts }: { from: number; to: number; starts: readonly number[] },
    { project_ids: projectIds, api_key_ids: apiKeyIds, group_by = [] }: CostsQuery,
    now: number,
  ): Promise<Entry[]> {
    const { db, storage } = this.#parts
    const asked = { projectIds, apiKeyIds, isByKey: group_by.includes('api_key_id') }
    const rows = await sumCosts(db.queries, { organizationId, kinds: costKinds, width, from, to, ...asked })
    const used = rows.flatMap((row) =>
      lineItemsOf(row).map((item) => {
        return { ...item, start: row.start, projectId: row.project_id, apiKeyId: row.api_key_id ?? null }
      }),
    )
    // What is stored is nobody's call.
    if (apiKeyIds !== undefined) return used
    const projects = await storage.history(organizationId, { from, to, projectIds })
    const stored = projects.flatMap(({ projectId, steps }) =>
      starts.map((start) => ({
        name: storageItem,
        cost: storageCost(steps, start, Math.min(start + width, now)),
        start,
        projectId,
        apiKeyId: null,
      })),
    )
    return [...used, ...stored.filter(({ cost }) => cost > 0)]
  }
}

function summed(entries: readonly Entry[], groupBy: readonly Group[]): CostsResult[] {
  const [byProject, byItem] = [groupBy.includes('project_id'), groupBy.includes('line_item')]
  const byKey = groupBy.includes('api_key_id')
  const keyOf = ({ projectId, name, apiKeyId }: Entry): string =>
    JSON.stringify([byProject ? projectId : null, byItem ? name : null, byKey ? apiKeyId : null])
  return [...Map.groupBy(entries, keyOf)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, group]) => {
      const [project_id, line_item, api_key_id] = JSON.parse(key) as (string | null)[]
      const value = group.reduce((sum, { cost }) => sum + cost, 0) / costsPerDollar
      const groups = { line_item: line_item ?? null, project_id: project_id ?? null }
      return {
        ...{ object: 'organization.costs.result', amount: { value, currency: 'usd' }, ...groups },
        ...(byKey ? { api_key_id: api_key_id ?? null } : {}),
      }
    })
}

import type { Queries } from '@atoll/kernel/db/database'
import type { UsageBucketRow } from '../../../inference/usage/roll-up.ts'

const costColumns = ['input_cost', 'cached_input_cost', 'output_cost'] as const

export type CostRow = Pick<
  UsageBucketRow,
  'start' | 'project_id' | 'api_key_id' | 'kind' | 'model' | 'input_cost' | 'cached_input_cost' | 'output_cost'
>

interface DailyCosts {
  organizationId: string
  kinds: readonly string[]
  /** Seconds. */
  width: number
  /** Unix seconds; `to` is not included. */
  from: number
  to: number
  projectIds: readonly string[] | undefined
  apiKeyIds: readonly string[] | undefined
  /** Else the costs of all keys are one. */
  isByKey: boolean
}

export async function sumCosts(queries: Queries, query: DailyCosts): Promise<CostRow[]> {
  const { organizationId, kinds, width, from, to, projectIds, apiKeyIds, isByKey } = query
  const columns = ['start', 'project_id', 'kind', 'model', ...(isByKey ? (['api_key_id'] as const) : [])] as const
  const rows = await queries
    .selectFrom('usage_buckets')
    .select(columns)
    .select(({ fn }) => costColumns.map((name) => fn.sum<number>(name).as(name)))
    .where('organization_id', '=', organizationId)
    .where('kind', 'in', kinds)
    .where('width', '=', width)
    .where('start', '>=', from)
    .where('start', '<', to)
    .$if(projectIds !== undefined, (some) => some.where('project_id', 'in', projectIds ?? []))
    .$if(apiKeyIds !== undefined, (some) => some.where('api_key_id', 'in', apiKeyIds ?? []))
    .groupBy(columns)
    .execute()
  return rows as CostRow[]
}

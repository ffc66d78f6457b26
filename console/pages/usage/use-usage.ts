// Usage by time and by what it is told apart by, in one shape for the chart, the table and the file.
import { useQuery } from '@tanstack/react-query'
import { ask, withQuery } from '../../api/client.ts'
import type { BucketPage, CostsResult } from '../../api/types.ts'

export const spans = {
  day: { title: 'Last 24 hours', seconds: 86_400, width: '1h', bucketSeconds: 3_600, limit: 25 },
  week: { title: 'Last 7 days', seconds: 7 * 86_400, width: '1d', bucketSeconds: 86_400, limit: 8 },
  month: { title: 'Last 30 days', seconds: 30 * 86_400, width: '1d', bucketSeconds: 86_400, limit: 31 },
} as const
export const measures = { tokens: 'Tokens', requests: 'Calls', costs: 'Costs (US dollars)' } as const
export const groups = { model: 'Model', project_id: 'Project', api_key_id: 'Key', user_id: 'User' } as const

export interface Wanted {
  span: keyof typeof spans
  measure: keyof typeof measures
  group: keyof typeof groups
}

export interface Usage {
  times: number[]
  series: { name: string; values: number[] }[]
}

const kinds = ['completions', 'embeddings', 'moderations', 'images', 'audio_speeches', 'audio_transcriptions']

type Counted = { num_model_requests: number; input_tokens?: number; output_tokens?: number } & Partial<
  Record<keyof typeof groups, string | null>
>

async function readUsage({ span, measure, group }: Wanted, signal: AbortSignal): Promise<Usage> {
  // Costs are made by day; the API tells them apart by what was used, by project and by key.
  const isCost = measure === 'costs'
  const { seconds, limit, width, bucketSeconds } = spans[isCost && span === 'day' ? 'week' : span]
  const start_time = Math.floor((Date.now() / 1000 - seconds) / bucketSeconds) * bucketSeconds
  const usage = emptyUsage(start_time, bucketSeconds, limit)
  if (isCost) {
    const group_by = [costGroups[group]]
    const path = withQuery('/v1/organization/costs', { start_time, limit, group_by })
    addPage(usage, await ask<BucketPage<CostsResult>>(path, { signal }), (one) => ({
      name:
        (group_by[0] === 'line_item' ? one.line_item : one[costGroups[group] as 'project_id' | 'api_key_id']) ??
        'other',
      value: one.amount.value,
    }))
    return sorted(usage)
  }
  const query = { start_time, limit, bucket_width: width, group_by: [group] }
  const pages = await Promise.all(
    kinds.map((kind) => ask<BucketPage<Counted>>(withQuery(`/v1/organization/usage/${kind}`, query), { signal })),
  )
  for (const page of pages) {
    addPage(usage, page, (one) => ({
      name: one[group] ?? 'other',
      value: measure === 'requests' ? one.num_model_requests : (one.input_tokens ?? 0) + (one.output_tokens ?? 0),
    }))
  }
  return sorted(usage)
}

const costGroups = {
  model: 'line_item',
  project_id: 'project_id',
  api_key_id: 'api_key_id',
  user_id: 'line_item',
} as const

const emptyUsage = (start: number, width: number, buckets: number): Usage => ({
  times: Array.from({ length: buckets }, (_, index) => start + index * width),
  series: [],
})

function addPage<Result>(
  { times, series }: Usage,
  page: BucketPage<Result>,
  read: (one: Result) => { name: string; value: number },
): void {
  for (const { start_time, results } of page.data) {
    const at = times.indexOf(start_time)
    for (const { name, value } of at < 0 ? [] : results.map(read)) {
      const found = series.find((one) => one.name === name) ?? { name, values: times.map(() => 0) }
      if (!series.includes(found)) series.push(found)
      found.values[at] = (found.values[at] ?? 0) + value
    }
  }
}

export const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The most used first; those of which nothing was used are left out. */
const sorted = ({ times, series }: Usage): Usage => ({
  times,
  series: series
    .filter(({ values }) => total(values) > 0)
    .sort((one, other) => total(other.values) - total(one.values)),
})

export const useUsage = (wanted: Wanted) =>
  useQuery({ queryKey: ['usage', wanted], queryFn: ({ signal }) => readUsage(wanted, signal) })

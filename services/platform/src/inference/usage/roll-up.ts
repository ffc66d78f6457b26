// Adds usage events to the sums of their minute, hour and day. What is read for pages of usage is one small row for
// each minute and each way it can be grouped, instead of the events themselves.
import { type RawBuilder, sql } from 'kysely'

export const bucketWidths = { '1m': 60, '1h': 3_600, '1d': 86_400 } as const

export interface UsageBucketRow {
  organization_id: string
  /** As the interface names it: `completions`, `embeddings`, … */
  kind: string
  /** Seconds. */
  width: number
  /** Unix seconds; a multiple of the width. */
  start: number
  project_id: string
  /** Empty: a service account. */
  user_id: string
  api_key_id: string
  model: string
  size: string
  source: string
  batch: number
  requests: number
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  images: number
  characters: number
  audio_ms: number
  input_cost: number
  cached_input_cost: number
  output_cost: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    usage_buckets: UsageBucketRow
  }
}

const dimensions = [
  'organization_id',
  'kind',
  'project_id',
  'user_id',
  'api_key_id',
  'model',
  'size',
  'source',
  'batch',
]
const sums = [
  'requests',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'images',
  'characters',
  'audio_ms',
  'input_cost',
  'cached_input_cost',
  'output_cost',
]
const key = ['organization_id', 'kind', 'width', 'start', ...dimensions.slice(2)]

const list = (names: readonly string[]) => sql.raw(names.join(', '))
const summed = sql.raw(sums.map((name) => `sum(${name}) as ${name}`).join(', '))
const added = sql.raw(sums.map((name) => `${name} = usage_buckets.${name} + excluded.${name}`).join(', '))
const widths = sql.raw(
  Object.values(bucketWidths)
    .map((width) => `select ${width} as width`)
    .join(' union all '),
)
/** Chats are completions too. */
const kind = sql.raw("case operation when 'chat' then 'completions' else operation end as kind")
const minute = sql.raw('created_at - created_at % 60 as minute')

/**
 * `events` is what follows `from`. Minutes are summed first: hours and days are then made of a few rows. They are taken
 * in the order of their key, so that nodes that do this at once wait for each other and never in a circle.
 */
export const rollUp = (events: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into usage_buckets (${list(dimensions)}, width, start, ${list(sums)})
  select ${list(dimensions)}, width, minute - minute % width as start, ${summed}
  from (
    select ${list(dimensions)}, minute, ${summed}
    from (
      select organization_id, ${kind}, project_id, coalesce(user_id, '') as user_id, api_key_id, model, size, source,
        batch, ${minute}, ${list(sums)}
      from ${events}
    ) as used
    group by ${list(dimensions)}, minute
  ) as minutes cross join (${widths}) as widths
  where true
  group by ${list(dimensions)}, width, minute - minute % width
  order by ${list(key)}
  on conflict (${list(key)}) do update set ${added}`

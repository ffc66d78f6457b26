// What the buckets of each width add up to.
import type { Queries } from '@atoll/kernel/db/database'
import { bucketWidths } from '../roll-up.ts'

const columns = ['requests', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'output_cost'] as const

export type BucketSums = Record<(typeof columns)[number], number>

export function bucketSums(queries: Queries): Promise<BucketSums[]> {
  const ofWidth = async (width: number): Promise<BucketSums> => {
    const sums = await queries
      .selectFrom('usage_buckets')
      .select(({ fn }) => columns.map((name) => fn.sum<number>(name).as(name)))
      .where('width', '=', width)
      .executeTakeFirstOrThrow()
    return numbersOf(sums)
  }
  return Promise.all(Object.values(bucketWidths).map(ofWidth))
}

export async function eventSums(queries: Queries): Promise<BucketSums> {
  const sums = queries
    .selectFrom('usage_events')
    .select(({ fn }) => columns.map((name) => fn.sum<number>(name).as(name)))
  return numbersOf(await sums.executeTakeFirstOrThrow())
}

/** PostgreSQL gives sums as text, and both give none where there are no rows. */
const numbersOf = (row: object): BucketSums =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as BucketSums

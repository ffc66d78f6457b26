// The buckets of a page: whole minutes, hours or days of UTC, the first the one that `start_time` lies in, the last
// the one before `end_time` or the present one; and the cursor that leads to the next page of the same query.
import { createHash } from 'node:crypto'
import { usageErrors } from '../../../errors/usage.ts'
import type { BucketPage } from './schema.ts'

export interface TimeSpan {
  /** Unix seconds. */
  start_time: number
  /** Not included. */
  end_time?: number | undefined
  page?: string | undefined
}

export interface TimeBuckets {
  /** Seconds. */
  width: number
  /** Of each bucket. */
  starts: number[]
  from: number
  to: number
  nextPage: string | null
}

interface Settings {
  width: number
  limit: number
  /** Unix seconds. */
  now: number
  /** All that the answer depends on besides the page. */
  query: unknown
}

const prefix = 'page_'
const startBytes = 8
const proofBytes = 12

export function timeBuckets(span: TimeSpan, { width, limit, now, query }: Settings): TimeBuckets {
  const { start_time, end_time, page } = span
  if (end_time !== undefined && end_time <= start_time) throw usageErrors.endBeforeStart()
  const end = Math.min(end_time ?? Number.POSITIVE_INFINITY, now + 1)
  const from = page === undefined ? start_time - (start_time % width) : startOf(page, query)
  const starts: number[] = []
  for (let start = from; start < end && starts.length < limit; start += width) starts.push(start)
  const to = from + starts.length * width
  return { width, starts, from, to, nextPage: to < end && starts.length > 0 ? pageAt(to, query) : null }
}

/** `resultsOf` gives what a bucket holds, by its start. */
export const bucketPage = <Result>(
  { width, starts, nextPage }: TimeBuckets,
  resultsOf: (start: number) => Result[] | undefined,
): BucketPage<Result> => ({
  object: 'page',
  data: starts.map((start) => ({
    object: 'bucket',
    start_time: start,
    end_time: start + width,
    results: resultsOf(start) ?? [],
  })),
  has_more: nextPage !== null,
  next_page: nextPage,
})

function pageAt(start: number, query: unknown): string {
  const bytes = Buffer.alloc(startBytes)
  bytes.writeBigUInt64BE(BigInt(start))
  return prefix + Buffer.concat([bytes, proofOf(bytes, query)]).toString('base64url')
}

/** Refuses what was not given out as the next page of this very query. */
function startOf(page: string, query: unknown): number {
  const bytes = Buffer.from(page.slice(prefix.length), 'base64url')
  const [start, proof] = [bytes.subarray(0, startBytes), bytes.subarray(startBytes)]
  if (!page.startsWith(prefix) || bytes.length !== startBytes + proofBytes || !proof.equals(proofOf(start, query))) {
    throw usageErrors.foreignPage()
  }
  return Number(start.readBigUInt64BE())
}

const proofOf = (start: Buffer, query: unknown): Buffer =>
  createHash('sha256').update(start).update(JSON.stringify(query)).digest().subarray(0, proofBytes)

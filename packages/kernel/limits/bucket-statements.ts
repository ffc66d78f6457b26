// One statement takes from a bucket, another adds to it; each refills it first, by the time that went by in the database.
import { CompiledQuery } from 'kysely'
import type { Queries } from '../db/database.ts'
import { roundingSlack } from './arithmetic.ts'
import type { Bucket, Take } from './limits.ts'

/** Waiting for a row's lock makes `now` look older than the row; a larger step means that the clock was set back. */
const clockStepUs = 10_000_000

const nowUs = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'
const refilled = 'least(excluded.capacity, b.level + greatest(0, excluded.at_us - b.at_us) * excluded.per_us)'
const amount = '$6::double precision'
const taken = `case when ${amount} = 0 or ${refilled} + ${roundingSlack} >= ${amount} then ${amount} else 0 end`

/** The values say what becomes of a bucket that is not there, which counts as full; `changes`, of one that is. */
const upsert = (changes: string): string => `
  insert into rate_buckets as b (key, level, taken, capacity, per_us, at_us)
  values ($1, $2, $3, $4, $5, ${nowUs})
  on conflict (key) do update set ${changes}, capacity = excluded.capacity, per_us = excluded.per_us,
    at_us = case when b.at_us - excluded.at_us > ${clockStepUs} then excluded.at_us
      else greatest(b.at_us, excluded.at_us) end
  returning level, taken`

const takeStatement = upsert(`level = ${refilled} - (${taken}), taken = ${taken}`)
const addStatement = upsert(`level = least(excluded.capacity, ${refilled} + ${amount}), taken = 0`)
const pruneStatement = `
  delete from rate_buckets where level + (${nowUs} - at_us) * per_us >= capacity returning key`

interface StoredLevel {
  level: number
  taken: number
}

export async function takeFromBucket(
  queries: Queries,
  { bucket, amount }: Take,
): Promise<{ level: number; granted: boolean }> {
  const fromFull = amount <= bucket.capacity + roundingSlack ? amount : 0
  const { level, taken } = await change(queries, takeStatement, bucket, [bucket.capacity - fromFull, fromFull], amount)
  return { level, granted: amount === 0 || taken > 0 }
}

export async function addToBucket(queries: Queries, bucket: Bucket, amount: number): Promise<void> {
  const level = Math.min(bucket.capacity, bucket.capacity + amount)
  await change(queries, addStatement, bucket, [level, 0], amount)
}

export async function removeFullBuckets(queries: Queries): Promise<number> {
  const { rows } = await queries.executeQuery(CompiledQuery.raw(pruneStatement))
  return rows.length
}

async function change(
  queries: Queries,
  statement: string,
  { key, capacity, periodMs }: Bucket,
  ofFull: [level: number, taken: number],
  amount: number,
): Promise<StoredLevel> {
  const perUs = capacity / (periodMs * 1000)
  const parameters = [key, ...ofFull, capacity, perUs, amount]
  const { rows } = await queries.executeQuery<StoredLevel>(CompiledQuery.raw(statement, parameters))
  const row = rows[0]
  if (row === undefined) throw new Error(`The bucket ${key} gave no answer.`)
  return row
}

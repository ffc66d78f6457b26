// The vectors of one collection as pgvector holds them: a table of its own, so that no other has a larger index for it,
// and everything of it goes at once.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../../db/database.ts'
import type { Proposed } from '../database-index.ts'
import { fromBytes } from '../numbers.ts'
import { type CollectionRow, chunkId, numberOf, type StoredVector } from '../rows.ts'
import type { PgvectorPlace } from './extension.ts'
import { halfBytes } from './half.ts'

/** Those of the index in memory. */
const connectivity = 16
const expansionAdd = 128
/** How many it looks at for each of those asked for, and what the extension allows; beyond, it reads on. */
const lookedAtPerAsked = 2
const leastLookedAt = 200
const mostLookedAt = 1_000
/** What pgvector can index of numbers of 16 bits. */
export const maxDimensions = 4_000
const removedAtOnce = 5_000

export interface TableState {
  /** The greatest number in it. */
  last: number
  rows: number
  isIndexed: boolean
}

export class NearTable {
  readonly #place: PgvectorPlace
  readonly #collection: CollectionRow
  readonly #table: RawBuilder<unknown>
  readonly #index: RawBuilder<unknown>

  constructor(place: PgvectorPlace, collection: CollectionRow) {
    this.#place = place
    this.#collection = collection
    this.#table = sql.id(place.tables, collection.key)
    this.#index = sql.id(place.tables, indexName(collection.key))
  }

  async state(queries: Queries): Promise<TableState | undefined> {
    const { key } = this.#collection
    const { rows: found } = await sql<{ isIndexed: boolean }>`
      select exists (select from pg_index join pg_class i on i.oid = indexrelid
        where indrelid = t.oid and indisvalid and i.relname = ${indexName(key)}) as "isIndexed"
      from pg_class t join pg_namespace on pg_namespace.oid = t.relnamespace
      where nspname = ${this.#place.tables} and t.relname = ${key}`.execute(queries)
    const [table] = found
    if (table === undefined) return undefined
    const { rows } = await sql<{ last: number; rows: number }>`
      select coalesce(max(number), 0) as last, count(*) as rows from ${this.#table}`.execute(queries)
    return rows[0] && { ...rows[0], ...table }
  }

  async create(queries: Queries): Promise<void> {
    await sql`create table if not exists ${this.#table}
      (number bigint primary key, half ${this.#type} not null)`.execute(queries)
    // Numbers of a vector do not compress.
    await sql`alter table ${this.#table} alter column half set storage plain`.execute(queries)
  }

  async add(queries: Queries, rows: readonly StoredVector[]): Promise<void> {
    const values = rows.map(
      ({ id, vector }) => sql`(${numberOf(id)}::bigint, ${halfBytes(fromBytes(vector))}::${this.#type})`,
    )
    await sql`insert into ${this.#table} (number, half) values ${sql.join(values)}
      on conflict do nothing`.execute(queries)
  }

  /** Nobody waits for it; broken off half-way it leaves an index that answers nothing, and the next attempt removes that. */
  async index(queries: Queries): Promise<void> {
    await sql`drop index if exists ${this.#index}`.execute(queries)
    await sql`create index concurrently ${sql.id(indexName(this.#collection.key))} on ${this.#table}
      using hnsw (half ${sql.id(this.#place.names, 'halfvec_ip_ops')})
      with (m = ${sql.lit(connectivity)}, ef_construction = ${sql.lit(expansionAdd)})`.execute(queries)
  }

  nearest(queries: Queries, vector: Float32Array, count: number): Promise<Proposed> {
    const lookedAt = Math.min(mostLookedAt, Math.max(leastLookedAt, count * lookedAtPerAsked))
    return queries.transaction().execute(async (tx) => {
      await sql`select set_config('hnsw.ef_search', ${String(lookedAt)}, true),
        set_config('hnsw.iterative_scan', 'strict_order', true)`.execute(tx)
      const distance = sql`half operator(${sql.id(this.#place.names)}.<#>) ${halfBytes(vector)}::${this.#type}`
      const { rows } = await sql<{ number: number; distance: number }>`
        select number, ${distance} as distance from ${this.#table}
        order by distance limit ${sql.lit(count)}`.execute(tx)
      return {
        numbers: Float64Array.from(rows, ({ number }) => number),
        cosines: Float64Array.from(rows, ({ distance: minus }) => -minus),
      }
    })
  }

  /** Some of those whose chunks are gone. Whether there may be more. */
  async removeSome(queries: Queries): Promise<boolean> {
    const first = sql.lit(chunkId(this.#collection.id, 0))
    const { numAffectedRows = 0n } = await sql`
      delete from ${this.#table} where number in (
        select number from ${this.#table} as held where not exists (
          select from vector_chunks join vector_owners on vector_owners.id = vector_chunks.owner
          where vector_chunks.id = held.number + ${first}::bigint
        ) limit ${sql.lit(removedAtOnce)}
      )`.execute(queries)
    return Number(numAffectedRows) === removedAtOnce
  }

  get #type(): RawBuilder<unknown> {
    return sql`${sql.id(this.#place.names, 'halfvec')}(${sql.lit(this.#collection.dimensions)})`
  }
}

const indexName = (key: string): string => `${key}_near`

export async function dropTable(queries: Queries, place: PgvectorPlace, key: string): Promise<void> {
  await sql`drop table if exists ${sql.id(place.tables, key)}`.execute(queries)
}

/** The keys of collections that have one. */
export async function tableKeys(queries: Queries, { tables }: PgvectorPlace): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select relname as key from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${tables} and relkind = 'r'`.execute(queries)
  return rows.map(({ key }) => key)
}

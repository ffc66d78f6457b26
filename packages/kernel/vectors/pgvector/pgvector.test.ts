// Large collections on a PostgreSQL with pgvector. "Large" is 100 chunks here.
import { postgresTarget } from '@atoll/testkit/both-targets'
import { startPgvector } from '@atoll/testkit/pgvector-server'
import { postgresAvailable } from '@atoll/testkit/postgres'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DatabaseTarget } from '../../db/open.ts'
import { dot } from '../numbers.ts'
import { chunksFrom, direction } from '../testing/directions.ts'
import { type Store, storeOpener } from '../testing/stores.ts'

const settings = { indexFrom: 100 }
const large = 400
const slowMs = 300_000

const owners = async (store: Store, seed: number): Promise<string[]> =>
  (await store.near('vs', direction(seed), 3)).map(({ owner, ordinal }) => `${owner}/${ordinal}`)

const tables = async ({ db }: Store): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'public_vector_indexes' and relkind = 'r'`.execute(db.queries)
  return rows.map(({ name }) => name)
}

const keyOf = async ({ db }: Store): Promise<string> =>
  (await db.queries.selectFrom('vector_collections').select('key').where('name', '=', 'vs').executeTakeFirstOrThrow())
    .key

const isReady = ({ vectors }: Store): boolean =>
  vectors.pgvectorFigures().some(({ labels, value }) => labels.state === 'ready' && value === 1)

/** Every chunk is found first by its own vector. */
async function expectAll(store: Store, owner: string, from: number, count: number): Promise<void> {
  const missing: number[] = []
  for (let at = 0; at < count; at += 13) {
    if ((await owners(store, from + at))[0] !== `${owner}/${at}`) missing.push(at)
  }
  expect(missing).toEqual([])
}

describe('a large collection where PostgreSQL has pgvector', { timeout: slowMs }, () => {
  const open = storeOpener()
  let target: DatabaseTarget & { kind: 'postgres' }

  beforeAll(async () => {
    target = { kind: 'postgres', url: await startPgvector() }
  }, slowMs)

  beforeEach(async () => {
    const store = await open(target)
    await store.removeCollection('vs')
    await store.close()
  })

  const openHere = () => open(target, { settings, pgvectorUrl: target.url })

  it('is searched there once its index is built, and by the one in memory until then', async () => {
    const store = await openHere()
    await store.add('vs', 'a', chunksFrom(0, large))
    expect(await owners(store, 7)).toContain('a/7')
    expect(await store.vectors.settle('vs')).toMatchObject({ count: 0, indexed: 0 })
    expect(isReady(store)).toBe(true)
    await expectAll(store, 'a', 0, large)
  })

  it('gives what comparing every vector gives, but for two in a hundred at most', async () => {
    const store = await openHere()
    const chunks = chunksFrom(0, 1_500)
    await store.add('vs', 'a', chunks)
    expect(await store.vectors.settle('vs')).toMatchObject({ count: 0 })
    let found = 0
    for (let seed = 5_000; seed < 5_040; seed++) {
      const asked = direction(seed)
      const exact = chunks.map(({ ordinal, vector }) => ({ ordinal, cosine: dot(vector, asked) }))
      const best = new Set(
        exact
          .sort((a, b) => b.cosine - a.cosine)
          .slice(0, 10)
          .map(({ ordinal }) => ordinal),
      )
      found += (await store.near('vs', asked, 10)).filter(({ ordinal }) => best.has(ordinal)).length
    }
    expect(found / 400).toBeGreaterThanOrEqual(0.98)
  })

  it('finds what was committed before the search, at every moment while it grows', async () => {
    const store = await openHere()
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    for (let round = 0; round < 12; round++) {
      await store.add('vs', `more${round}`, chunksFrom(1_000 + round * 30, 30))
      const [found, earlier] = [await owners(store, 1_000 + round * 30 + 29), await owners(store, round)]
      expect([found[0], earlier[0]]).toEqual([`more${round}/29`, `a/${round}`])
    }
    expect(isReady(store)).toBe(true)
  })

  it('takes over while it grows from the index in memory, which holds more by then', async () => {
    const memory = await open(target, { settings })
    await memory.add('vs', 'a', chunksFrom(0, large))
    await memory.close()
    const store = await openHere()
    for (let round = 0; round < 40 && !isReady(store); round++) {
      await store.add('vs', `more${round}`, chunksFrom(1_000 + round * 30, 30))
      const last = 1_000 + round * 30 + 29
      expect([(await owners(store, last))[0], (await owners(store, 7))[0]]).toEqual([`more${round}/29`, 'a/7'])
    }
    await store.vectors.settle('vs')
    expect(isReady(store)).toBe(true)
    await expectAll(store, 'a', 0, large)
    expect((await owners(store, 1_003))[0]).toBe('more0/3')
  })

  it('gives nothing that was removed, and everything that was not', async () => {
    const store = await openHere()
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.add('vs', 'b', chunksFrom(1_000, 120))
    await store.vectors.settle('vs')
    await store.removeOwner('vs', 'a')
    const found = await store.near('vs', direction(3), 100)
    expect(found.map(({ owner }) => owner)).toEqual(new Array(100).fill('b'))
    await expectAll(store, 'b', 1_000, 120)
  })

  it('is found by another process that starts, which reads no vectors for it', async () => {
    const first = await openHere()
    await first.add('vs', 'a', chunksFrom(0, large))
    await first.vectors.settle('vs')
    await first.add('vs', 'b', chunksFrom(2_000, 5))
    await first.close()
    const second = await openHere()
    expect((await owners(second, 2_004))[0]).toBe('b/4')
    await expectAll(second, 'a', 0, large)
    expect(await second.vectors.settle('vs')).toMatchObject({ count: 5, indexed: 0 })
  })

  it('is searched in memory again when its index is lost, or when pgvector is not to be used', async () => {
    const store = await openHere()
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    await sql`drop table ${sql.id('public_vector_indexes', await keyOf(store))}`.execute(store.db.queries)
    await expectAll(store, 'a', 0, large)
    await store.close()
    const without = await open(target, { settings })
    await expectAll(without, 'a', 0, large)
    expect(await without.vectors.settle('vs')).toMatchObject({ count: large, indexed: large })
  })

  it('makes an index anew that was broken off half-way', async () => {
    const store = await openHere()
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    const key = await keyOf(store)
    await store.close()
    // As PostgreSQL leaves one that was cancelled.
    await sql`update pg_index set indisvalid = false
      where indexrelid = ${`public_vector_indexes."${key}_near"`}::regclass`.execute((await open(target)).db.queries)
    const again = await openHere()
    expect(await again.vectors.settle('vs')).toMatchObject({ count: 0 })
    expect(isReady(again)).toBe(true)
    await expectAll(again, 'a', 0, large)
  })

  it('takes its table along when it is removed, or at the next start', async () => {
    const store = await openHere()
    store.vectors.start()
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    expect(await tables(store)).toEqual([await keyOf(store)])
    await store.removeCollection('vs')
    await store.close()
    const after = await open(target)
    expect(await tables(after)).toEqual([])
    await sql`create table public_vector_indexes.stray (number bigint)`.execute(after.db.queries)
    const starting = await openHere()
    starting.vectors.start()
    await starting.close()
    expect(await tables(after)).toEqual([])
  })
})

describe.skipIf(!postgresAvailable.available)('a large collection where PostgreSQL lacks pgvector', () => {
  const open = storeOpener()

  it('is searched by the index in memory, and nothing is made in the database', async () => {
    const target = (await postgresTarget()) as DatabaseTarget & { kind: 'postgres' }
    const store = await open(target, { settings, pgvectorUrl: target.url })
    store.vectors.start()
    await store.add('vs', 'a', chunksFrom(0, large))
    expect(await store.vectors.settle('vs')).toMatchObject({ count: large, indexed: large })
    await expectAll(store, 'a', 0, large)
    expect(await tables(store)).toEqual([])
  })
})

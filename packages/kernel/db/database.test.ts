import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Migration } from './migration.ts'
import { together } from './together.ts'
import { isUniqueViolation } from './unique-violation.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    test_notes: { id: string; text: string; size: number }
    test_counters: { name: string; value: number }
  }
}

const migrations: Migration[] = [
  {
    name: 'test/0001-notes',
    async up(db) {
      await db.schema
        .createTable('test_notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('test_counters')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
]

describeBothDatabases('a database', (open) => {
  it('keeps what is written and reads it back', async () => {
    const db = await open(migrations)
    await db.queries.insertInto('test_notes').values({ id: 'a', text: 'hello', size: 5 }).execute()
    expect(await db.queries.selectFrom('test_notes').selectAll().execute()).toEqual([
      { id: 'a', text: 'hello', size: 5 },
    ])
    expect((await sql`select 1 as one`.execute(db.queries)).rows).toEqual([{ one: 1 }])
  })

  it('tells how many rows a write touched, and returns them when asked', async () => {
    const db = await open(migrations)
    const rows = ['a', 'b', 'c'].map((id) => ({ id, text: '', size: 1 }))
    const inserted = await db.queries.insertInto('test_notes').values(rows).returning('id').execute()
    expect(inserted.map((row) => row.id)).toEqual(['a', 'b', 'c'])
    const updated = await db.queries.updateTable('test_notes').set({ size: 2 }).where('id', '>', 'a').executeTakeFirst()
    expect(updated.numUpdatedRows).toBe(2n)
  })

  it('recognises a second row with the same key', async () => {
    const db = await open(migrations)
    const insert = () => db.queries.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()
    await insert()
    const error = await insert().catch((reason) => reason)
    expect(isUniqueViolation(error)).toBe(true)
    const other = await db.queries
      .insertInto('test_notes')
      .values({ id: 'b' } as never)
      .execute()
      .catch((reason) => reason)
    expect(other).toBeInstanceOf(Error)
    expect(isUniqueViolation(other)).toBe(false)
  })

  it('commits a transaction as a whole, or not at all', async () => {
    const db = await open(migrations)
    await db.transaction(async (tx) => {
      await tx.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()
      expect(await tx.selectFrom('test_notes').select('id').execute()).toHaveLength(1)
      await tx.insertInto('test_notes').values({ id: 'b', text: '', size: 0 }).execute()
    })
    const failing = db.transaction(async (tx) => {
      await tx.deleteFrom('test_notes').execute()
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await db.queries.selectFrom('test_notes').select('id').execute()).toHaveLength(2)
  })

  it('runs effects after the commit, once, and never after a rollback', async () => {
    const db = await open(migrations)
    const seen: string[] = []
    await db.transaction(async (tx) => {
      db.afterCommit(tx, () => seen.push('committed'))
      await tx.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()
      expect(seen).toEqual([])
    })
    const failing = db.transaction(async (tx) => {
      db.afterCommit(tx, () => seen.push('rolled back'))
      await tx.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()
    })
    await expect(failing).rejects.toSatisfy(isUniqueViolation)
    expect(seen).toEqual(['committed'])
  })

  it('refuses an effect for a transaction that is over', async () => {
    const db = await open(migrations)
    const tx = await db.transaction(async (tx) => tx)
    expect(() => db.afterCommit(tx, () => {})).toThrow('open transaction')
  })

  it('gives right counts when 20 transactions read and write the same row at once', async () => {
    const db = await open(migrations)
    await db.queries.insertInto('test_counters').values({ name: 'n', value: 0 }).execute()
    let effects = 0
    const increment = () =>
      db.transaction(async (tx) => {
        const { value } = await tx
          .selectFrom('test_counters')
          .select('value')
          .where('name', '=', 'n')
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('test_counters')
          .set({ value: value + 1 })
          .where('name', '=', 'n')
          .execute()
        db.afterCommit(tx, () => effects++)
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    expect(await db.queries.selectFrom('test_counters').select('value').execute()).toEqual([{ value: 20 }])
    expect(effects).toBe(20)
  })

  it('loses the whole transaction with one failed statement, even when the work goes on', async () => {
    const db = await open(migrations)
    await db.queries.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()
    const work = db.transaction(async (tx) => {
      await tx.insertInto('test_notes').values({ id: 'b', text: '', size: 0 }).execute()
      await tx
        .insertInto('test_notes')
        .values({ id: 'a', text: '', size: 0 })
        .execute()
        .catch(() => {})
    })
    await expect(work).rejects.toThrow()
    expect(await db.queries.selectFrom('test_notes').select('id').execute()).toEqual([{ id: 'a' }])
  })

  it('writes statements that are sent together in their order, all of them or none', async () => {
    const db = await open(migrations)
    const write = (ids: string[]) =>
      db.transaction((tx) =>
        together([
          ...ids.map((id) => tx.insertInto('test_notes').values({ id, text: '', size: 0 }).execute()),
          tx.updateTable('test_notes').set({ size: 1 }).where('id', '=', 'b').execute(),
        ]),
      )
    await write(['a', 'b'])
    expect(isUniqueViolation(await write(['c', 'a', 'd']).catch((reason) => reason))).toBe(true)
    await write(['e'])
    const rows = await db.queries.selectFrom('test_notes').select(['id', 'size']).orderBy('id').execute()
    expect(rows.map(({ id, size }) => `${id} ${size}`)).toEqual(['a 0', 'b 1', 'e 0'])
  })

  it('writes a batch in its order, all of it or none, and tells of it once it is kept', async () => {
    const db = await open(migrations)
    const kept: string[] = []
    const note = (id: string) => ({ id, text: '', size: 0 })
    const write = (...ids: string[]) =>
      db.batch(async (tx) => {
        db.afterCommit(tx, () => kept.push(...ids))
        for (const id of ids) await tx.insertInto('test_notes').values(note(id)).execute()
        await tx.updateTable('test_notes').set({ size: 1 }).where('id', '=', 'b').execute()
        return ids.length
      })
    expect(await write('a', 'b')).toBe(2)
    const single = db.queries.insertInto('test_notes').values(note('f')).execute()
    const [refused, next] = await Promise.allSettled([write('c', 'a', 'd'), write('e'), single])
    expect(refused.status === 'rejected' && isUniqueViolation(refused.reason)).toBe(true)
    expect(next.status).toBe('fulfilled')
    await expect(db.batch(() => Promise.reject(new Error('changed my mind')))).rejects.toThrow('changed my mind')
    const rows = await db.queries.selectFrom('test_notes').select(['id', 'size']).orderBy('id').execute()
    expect(rows.map(({ id, size }) => `${id} ${size}`)).toEqual(['a 0', 'b 1', 'e 0', 'f 0'])
    expect(kept).toEqual(['a', 'b', 'e'])
  })

  it('answers a ping, and refuses work once closed', async () => {
    const db = await open(migrations)
    await db.ping()
    await db.close()
    await expect(db.ping()).rejects.toThrow()
    await expect(db.queries.insertInto('test_notes').values({ id: 'a', text: '', size: 0 }).execute()).rejects.toThrow()
  })
})

import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import { createIds, positionOf } from '../ids/ids.ts'
import type { Database } from './database.ts'
import type { Migration } from './migration.ts'
import { InvalidCursor, type PageQuery, selectPage } from './page.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    test_objects: { id: string; project: string; position: number }
  }
}

const migrations: Migration[] = [
  {
    name: 'test/0001-objects',
    async up(db) {
      await db.schema
        .createTable('test_objects')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('project', 'text', (column) => column.notNull())
        .addColumn('position', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('test_objects_in_order')
        .on('test_objects')
        .columns(['project', 'position', 'id'])
        .execute()
    },
  },
]

const ids = createIds(new ManualClock())

async function add(db: Database, ...added: string[]): Promise<void> {
  const rows = added.map((id) => ({ id, project: 'mine', position: positionOf(id) ?? Number.NaN }))
  await db.queries.insertInto('test_objects').values(rows).execute()
}

async function page(db: Database, query: PageQuery) {
  const found = await selectPage(
    db.queries.selectFrom('test_objects').select('id').where('project', '=', 'mine'),
    query,
  )
  return { ids: found.rows.map((row) => row.id), hasMore: found.hasMore }
}

const newIds = (count: number) => Array.from({ length: count }, () => ids.next('obj-'))

describeBothDatabases('a list', (open) => {
  it('walks all objects in both orders, page by page', async () => {
    const db = await open(migrations)
    const all = newIds(7)
    await add(db, ...all)
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = []
      for (let more = true, after: string | undefined; more; ) {
        const next = await page(db, { order, limit: 3, ...(after && { after }) })
        seen.push(...next.ids)
        after = next.ids.at(-1)
        more = next.hasMore
      }
      expect(seen).toEqual(order === 'asc' ? all : all.toReversed())
    }
  })

  it('gives an empty page after the last object', async () => {
    const db = await open(migrations)
    const all = newIds(2)
    await add(db, ...all)
    expect(await page(db, { order: 'asc', limit: 5, after: all[1]! })).toEqual({ ids: [], hasMore: false })
    expect(await page(db, { order: 'desc', limit: 5, after: all[0]! })).toEqual({ ids: [], hasMore: false })
    expect(await page(db, { order: 'asc', limit: 2 })).toEqual({ ids: all, hasMore: false })
  })

  it('ends a page right before an object, and gives what lies between two', async () => {
    const db = await open(migrations)
    const all = newIds(6)
    await add(db, ...all)
    const [a, b, c, d, e, f] = all as [string, string, string, string, string, string]
    expect(await page(db, { order: 'asc', limit: 2, before: e })).toEqual({ ids: [c, d], hasMore: true })
    expect(await page(db, { order: 'asc', limit: 2, before: c })).toEqual({ ids: [a, b], hasMore: false })
    expect(await page(db, { order: 'desc', limit: 2, before: b })).toEqual({ ids: [d, c], hasMore: true })
    expect(await page(db, { order: 'asc', limit: 9, after: a, before: f })).toEqual({
      ids: [b, c, d, e],
      hasMore: false,
    })
    expect(await page(db, { order: 'desc', limit: 2, after: f, before: a })).toEqual({ ids: [e, d], hasMore: true })
    expect(await page(db, { order: 'asc', limit: 9, after: f, before: a })).toEqual({ ids: [], hasMore: false })
  })

  it('neither skips nor repeats objects of the same position, and orders them by their bytes', async () => {
    const db = await open(migrations)
    // Nodes whose clocks agree to the microsecond give the same position.
    const clock = new ManualClock()
    const all = Array.from({ length: 40 }, () => createIds(clock).next('obj-')).sort()
    await add(db, ...all)
    const seen: string[] = []
    for (let more = true; more; ) {
      const after = seen.at(-1)
      const next = await page(db, { order: 'asc', limit: 7, ...(after && { after }) })
      seen.push(...next.ids)
      more = next.hasMore
    }
    expect(seen).toEqual(all)
  })

  it('goes on from an object that was deleted meanwhile', async () => {
    const db = await open(migrations)
    const all = newIds(5)
    await add(db, ...all)
    await db.queries.deleteFrom('test_objects').where('id', '=', all[2]!).execute()
    expect((await page(db, { order: 'asc', limit: 5, after: all[2]! })).ids).toEqual(all.slice(3))
    expect((await page(db, { order: 'asc', limit: 5, before: all[2]! })).ids).toEqual(all.slice(0, 2))
  })

  it('stays stable while objects are added', async () => {
    const db = await open(migrations)
    const old = newIds(20)
    await add(db, ...old)
    const seen: string[] = []
    for (let more = true; more; ) {
      const after = seen.at(-1)
      const [next] = await Promise.all([
        page(db, { order: 'desc', limit: 3, ...(after && { after }) }),
        add(db, ...newIds(2)),
      ])
      seen.push(...next.ids)
      more = next.hasMore
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => old.includes(id))).toEqual(old.toReversed())
  })

  it('says which cursor is no identifier', async () => {
    const db = await open(migrations)
    const short = 'obj-1'
    const letters = `obj-${'-'.repeat(24)}`
    const control = `${ids.next('obj-').slice(0, -1)}\u0000`
    for (const cursor of ['', short, letters, control, 'x'.repeat(1000), '\ud800'.repeat(30)]) {
      for (const parameter of ['after', 'before'] as const) {
        const error = await page(db, { order: 'asc', limit: 1, [parameter]: cursor }).catch((reason) => reason)
        expect(error).toBeInstanceOf(InvalidCursor)
        expect(error.parameter).toBe(parameter)
      }
    }
  })
})

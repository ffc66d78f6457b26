import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { migrate } from './migrate.ts'
import type { Migration } from './migration.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    test_steps: { n: number }
  }
}

const makeTable: Migration = {
  name: 'test/0001-steps',
  async up(db) {
    await db.schema.createTable('test_steps').addColumn('n', 'bigint').execute()
    await sql`insert into test_steps values (1)`.execute(db)
  },
}

const addRow: Migration = {
  name: 'test/0002-row',
  async up(db) {
    await sql`insert into test_steps values (2)`.execute(db)
  },
}

describeBothDatabases('migrations', (open) => {
  it('run once each, in order, and go on where the last start ended', async () => {
    const db = await open()
    await migrate(db, [makeTable])
    await migrate(db, [makeTable, addRow])
    await migrate(db, [makeTable, addRow])
    expect(await db.queries.selectFrom('test_steps').select('n').orderBy('n').execute()).toEqual([{ n: 1 }, { n: 2 }])
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db.queries)
    expect(rows.map((row) => row.name)).toEqual([makeTable.name, addRow.name])
  })

  it('leave nothing of a step that fails', async () => {
    const db = await open()
    await migrate(db, [makeTable])
    const failing: Migration = {
      name: 'test/0002-failing',
      async up(db) {
        await db.schema.createTable('half').addColumn('n', 'bigint').execute()
        await sql`insert into test_steps values (3)`.execute(db)
        throw new Error('no')
      },
    }
    await expect(migrate(db, [makeTable, failing])).rejects.toThrow('no')
    expect(await db.queries.selectFrom('test_steps').select('n').execute()).toEqual([{ n: 1 }])
    await migrate(db, [
      makeTable,
      { ...failing, up: (db) => db.schema.createTable('half').addColumn('n', 'bigint').execute() },
    ])
  })

  it('refuse a database that a newer Atoll wrote', async () => {
    const db = await open()
    await migrate(db, [makeTable, addRow])
    await expect(migrate(db, [makeTable])).rejects.toThrow(/newer Atoll.*test\/0002-row/)
  })

  it('pass over those of a service that does not run this time', async () => {
    const other: Migration = { name: 'other/0001-nothing', up: async () => {} }
    const db = await open()
    await migrate(db, [makeTable, other])
    await migrate(db, [makeTable, addRow])
    await migrate(db, [other])
    expect(await db.queries.selectFrom('test_steps').select('n').orderBy('n').execute()).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('refuse two steps of the same name', async () => {
    const db = await open()
    await expect(migrate(db, [makeTable, makeTable])).rejects.toThrow('two migrations are named test/0001-steps')
  })

  it('do no harm when asked for twice at once', async () => {
    const db = await open()
    await Promise.all([migrate(db, [makeTable, addRow]), migrate(db, [makeTable, addRow])])
    expect(await db.queries.selectFrom('test_steps').select('n').orderBy('n').execute()).toEqual([{ n: 1 }, { n: 2 }])
  })
})

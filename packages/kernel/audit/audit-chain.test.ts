import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import type { Database } from '../db/database.ts'
import { AuditChain } from './audit-chain.ts'
import { auditMigrations } from './migrations.ts'
import { chainNames } from './store.ts'

interface Entry {
  what: string
  details?: unknown
}

const chainOn = (db: Database, name = 'main') => new AuditChain<Entry>({ db, clock: systemClock }, name)
const intact = (entries: number) => ({ intact: true, entries, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })

describeBothDatabases('an audit chain', (open) => {
  const filled = async (count: number) => {
    const db = await open(auditMigrations)
    const chain = chainOn(db)
    for (let at = 1; at <= count; at++) await chain.record(undefined, { what: `${at}`, details: { z: 1, a: [at] } })
    return { db, chain, queries: db.queries }
  }

  it('is intact as long as nobody touches it, empty too', async () => {
    const { chain } = await filled(0)
    expect(await chain.verify()).toEqual(intact(0))
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, at) => chain.record(undefined, { what: `${at}` })),
    )
    expect(recorded.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await chain.verify()).toEqual(intact(10))
    expect(await chain.list({ limit: 2, offset: 1 })).toEqual([
      { seq: 9, at: recorded[8]?.at, what: '8' },
      { seq: 8, at: recorded[7]?.at, what: '7' },
    ])
  })

  it('has an entry only if what it tells of was done', async () => {
    const { db, chain } = await filled(1)
    const undone = db.transaction(async (tx) => {
      await chain.record(tx, { what: 'undone' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await db.transaction((tx) => chain.record(tx, { what: 'done' }))
    expect((await chain.list({ limit: 10, offset: 0 })).map(({ what }) => what)).toEqual(['done', '1'])
    expect(await chain.verify()).toEqual(intact(2))
  })

  it('stays whole when many write to it at once, from several places, the first entry included', async () => {
    const { db } = await filled(0)
    const writers = Array.from({ length: 4 }, () => chainOn(db))
    const writes = Array.from({ length: 40 }, (_, at) =>
      db.transaction((tx) => (writers[at % 4] as AuditChain<Entry>).record(tx, { what: `${at}` })),
    )
    const seqs = (await Promise.all(writes)).map(({ seq }) => seq)
    expect(seqs.sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1))
    expect(await chainOn(db).verify()).toEqual(intact(40))
  })

  it('can be verified while it grows', async () => {
    const { chain } = await filled(3)
    const writing = Array.from({ length: 30 }, () => chain.record(undefined, { what: 'more' }))
    for (let round = 0; round < 10; round++) expect(await chain.verify()).toMatchObject({ intact: true })
    await Promise.all(writing)
    expect(await chain.verify()).toEqual(intact(33))
  })

  it('knows nothing of the other chains', async () => {
    const { db, chain, queries } = await filled(2)
    const other = chainOn(db, 'other')
    expect(await other.record(undefined, { what: 'x' })).toMatchObject({ seq: 1 })
    expect(await chainNames(queries)).toEqual(['main', 'other'])
    await queries.deleteFrom('audit_entries').where('chain', '=', 'other').execute()
    expect(await other.verify()).toMatchObject({ intact: false, brokenAt: 1, problem: 'removed' })
    expect(await chain.verify()).toEqual(intact(2))
    expect(await chainNames(queries)).toEqual(['main', 'other'])
  })

  it('notices when the content, the link or the hash of an entry was changed', async () => {
    const { chain, queries } = await filled(4)
    const before = await queries.selectFrom('audit_entries').selectAll().where('seq', '=', 2).executeTakeFirstOrThrow()
    const { entry, previous, hash } = before
    const changes = [{ entry: entry.replace('"2"', '"3"') }, { previous: 'f'.repeat(64) }, { hash: 'f'.repeat(64) }]
    for (const change of changes) {
      await queries.updateTable('audit_entries').set(change).where('seq', '=', 2).execute()
      expect(await chain.verify()).toEqual({ intact: false, entries: 1, brokenAt: 2, problem: 'changed' })
      await queries.updateTable('audit_entries').set({ entry, previous, hash }).where('seq', '=', 2).execute()
      expect(await chain.verify()).toEqual(intact(4))
    }
  })

  it('notices an entry that was given another number or moved to another chain', async () => {
    const { db, chain, queries } = await filled(4)
    await queries.updateTable('audit_entries').set({ seq: 9 }).where('seq', '=', 3).execute()
    expect(await chain.verify()).toMatchObject({ brokenAt: 3, problem: 'removed' })
    await queries.updateTable('audit_entries').set({ chain: 'other', seq: 1 }).where('seq', '=', 1).execute()
    expect(await chain.verify()).toMatchObject({ brokenAt: 1, problem: 'removed' })
    const { hash } = await queries
      .selectFrom('audit_entries')
      .select('hash')
      .where('seq', '=', 1)
      .executeTakeFirstOrThrow()
    await queries.insertInto('audit_heads').values({ chain: 'other', seq: 1, hash }).execute()
    expect(await chainOn(db, 'other').verify()).toMatchObject({ brokenAt: 1, problem: 'changed' })
  })

  it('notices entries that changed places', async () => {
    const { chain, queries } = await filled(4)
    for (const [from, to] of [
      [2, 99],
      [3, 2],
      [99, 3],
    ] as const) {
      await queries.updateTable('audit_entries').set({ seq: to }).where('seq', '=', from).execute()
    }
    expect(await chain.verify()).toMatchObject({ brokenAt: 2, problem: 'changed' })
  })

  it('notices an entry that was taken out of its middle, or from its end', async () => {
    const { chain, queries } = await filled(4)
    await queries.deleteFrom('audit_entries').where('seq', '=', 4).execute()
    expect(await chain.verify()).toEqual({ intact: false, entries: 3, brokenAt: 4, problem: 'removed' })
    await queries.deleteFrom('audit_entries').where('seq', '=', 2).execute()
    expect(await chain.verify()).toEqual({ intact: false, entries: 1, brokenAt: 2, problem: 'removed' })
  })

  it('notices an entry that was put in, and a head that was changed or taken away', async () => {
    const { chain, queries } = await filled(2)
    const last = await queries.selectFrom('audit_entries').selectAll().where('seq', '=', 2).executeTakeFirstOrThrow()
    await queries
      .insertInto('audit_entries')
      .values({ ...last, seq: 3 })
      .execute()
    expect(await chain.verify()).toEqual({ intact: false, entries: 2, brokenAt: 3, problem: 'added' })
    await queries.deleteFrom('audit_entries').where('seq', '=', 3).execute()
    await queries
      .updateTable('audit_heads')
      .set({ hash: 'f'.repeat(64) })
      .execute()
    expect(await chain.verify()).toMatchObject({ brokenAt: 2, problem: 'changed' })
    await queries.updateTable('audit_heads').set({ seq: 1 }).execute()
    expect(await chain.verify()).toMatchObject({ intact: false })
    await queries.deleteFrom('audit_heads').execute()
    expect(await chain.verify()).toMatchObject({ brokenAt: 1, problem: 'added' })
  })
})

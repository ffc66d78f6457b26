// Whoever can write to the database can change everything in it: none of that goes unnoticed.
import type { Queries } from '@atoll/kernel/db/database'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import type { Selectable } from 'kysely'
import { expect, it } from 'vitest'
import type { Fixture } from '../identity/testing/identity-fixture.ts'
import { foundAcme, openIdentity } from '../identity/testing/identity-fixture.ts'
import { AuditLog } from './audit-log.ts'
import type { StoredLogRow } from './log-row.ts'
import { indexLogs } from './store.ts'
import { verifyLog } from './verify.ts'

const admin = {
  type: 'api_key' as const,
  keyId: 'key_admin',
  address: '127.0.0.1',
  userAgent: 'test',
}

/** An organization with an audit log of five entries. */
async function audited(fixture: Fixture) {
  const { organizationId, ada, defaultProject } = await foundAcme(fixture.identity)
  const by = { ...admin, owner: { type: 'user' as const, userId: ada.id } }
  await new AuditLog(fixture).activate(by, organizationId)
  const { projectKeys, projects } = fixture.identity.as(by)
  for (const name of ['a', 'b']) await projects.create(organizationId, { name, creatorId: ada.id })
  const key = await projectKeys.create(organizationId, defaultProject.id, { userId: ada.id, name: 'k' })
  await projectKeys.remove(organizationId, defaultProject.id, key.id)
  const { queries } = fixture.db
  return { organizationId, by, queries, verify: () => verifyLog(queries, organizationId) }
}

const rowOf = (queries: Queries, seq: number): Promise<Selectable<StoredLogRow>> =>
  queries.selectFrom('audit_logs').selectAll().where('seq', '=', seq).executeTakeFirstOrThrow()

describeBothDatabases('an audit log that somebody tampered with', (open) => {
  it('gives away every column that was changed, in the entries and in what they are found by', async () => {
    const fixture = await openIdentity(open)
    const { queries, verify } = await audited(fixture)
    expect(await verify()).toMatchObject({ intact: true, entries: 5 })
    const row = await rowOf(queries, 4)
    const changes = Object.entries(row).flatMap(([column, value]) => {
      if (column === 'organization_id' || column === 'seq') return []
      return [
        { [column]: typeof value === 'number' ? value + 1 : 'forged' },
        ...(value === null ? [] : [{ [column]: null }]),
      ]
    })
    const possible = changes.filter(
      (change) => !['id', 'type', 'effective_at', 'indexed'].some((column) => change[column] === null),
    )
    expect(possible.length).toBeGreaterThanOrEqual(10)
    for (const change of possible) {
      await queries.updateTable('audit_logs').set(change).where('seq', '=', 4).execute()
      expect({ change, ...(await verify()) }).toMatchObject({ change, brokenAt: 4, problem: 'changed' })
      await queries.updateTable('audit_logs').set(row).where('seq', '=', 4).execute()
    }
    const chained = queries.selectFrom('audit_entries').selectAll().where('seq', '=', 4)
    const { entry, previous, hash } = await chained.executeTakeFirstOrThrow()
    for (const change of [{ entry: entry.replace('key_admin', 'key_other') }, { previous: hash }, { hash: previous }]) {
      await queries.updateTable('audit_entries').set(change).where('seq', '=', 4).execute()
      expect(await verify()).toMatchObject({ brokenAt: 4, problem: 'changed' })
      await queries.updateTable('audit_entries').set({ entry, previous, hash }).where('seq', '=', 4).execute()
    }
    expect(await verify()).toMatchObject({ intact: true, entries: 5 })
  })

  it('gives away that entries were hidden from the indexes by which they are found', async () => {
    const fixture = await openIdentity(open)
    const { organizationId, queries, verify } = await audited(fixture)
    const indexUpTo = (seq: number) => queries.updateTable('audit_activations').set({ indexed_up_to: seq }).execute()
    await indexUpTo(2)
    expect(await verify()).toMatchObject({ brokenAt: 1, problem: 'changed' })
    await indexUpTo(0)
    await fixture.db.transaction((tx) => indexLogs(tx, organizationId, 3))
    expect(await verify()).toMatchObject({ intact: true, entries: 5 })
    await queries.updateTable('audit_logs').set({ indexed: 0 }).where('seq', '=', 2).execute()
    expect(await verify()).toMatchObject({ brokenAt: 2, problem: 'changed' })
    await queries.updateTable('audit_logs').set({ indexed: 1 }).execute()
    expect(await verify()).toMatchObject({ brokenAt: 4, problem: 'changed' })
  })

  it.each([
    ['the newest', 5],
    ['one in the middle', 3],
    ['the first', 1],
  ])('gives away that %s was removed, from either place', async (_, seq) => {
    const fixture = await openIdentity(open)
    const { queries, verify } = await audited(fixture)
    const row = await rowOf(queries, seq)
    await queries.deleteFrom('audit_logs').where('seq', '=', seq).execute()
    expect(await verify()).toMatchObject({ brokenAt: seq, problem: 'removed' })
    await queries.deleteFrom('audit_entries').where('seq', '=', seq).execute()
    expect(await verify()).toMatchObject({ brokenAt: seq, problem: 'removed' })
    await queries.insertInto('audit_logs').values(row).execute()
    expect(await verify()).toMatchObject({ brokenAt: seq, problem: 'removed' })
  })

  it('gives away that it was reordered, emptied, cut off with its head, or switched off', async () => {
    const fixture = await openIdentity(open)
    const { queries, verify } = await audited(fixture)
    const swap = async (table: 'audit_entries' | 'audit_logs') => {
      for (const [from, to] of [
        [2, 99],
        [3, 2],
        [99, 3],
      ] as const) {
        await queries.updateTable(table).set({ seq: to }).where('seq', '=', from).execute()
      }
    }
    await swap('audit_logs')
    expect(await verify()).toMatchObject({ brokenAt: 2, problem: 'changed' })
    await swap('audit_entries')
    expect(await verify()).toMatchObject({ brokenAt: 2, problem: 'changed' })
    await swap('audit_entries')
    await swap('audit_logs')
    expect(await verify()).toMatchObject({ intact: true })
    // Even the head set back: what entries are found by goes further.
    const { hash } = await queries
      .selectFrom('audit_entries')
      .select('hash')
      .where('seq', '=', 4)
      .executeTakeFirstOrThrow()
    await queries.deleteFrom('audit_entries').where('seq', '=', 5).execute()
    await queries.updateTable('audit_heads').set({ seq: 4, hash }).execute()
    expect(await verify()).toMatchObject({ brokenAt: 5, problem: 'removed' })
    await queries.deleteFrom('audit_logs').where('seq', '=', 5).execute()
    await queries.deleteFrom('audit_activations').execute()
    expect(await verify()).toEqual({ intact: false, entries: 4, problem: 'deactivated' })
    for (const table of ['audit_heads', 'audit_entries', 'audit_logs'] as const)
      await queries.deleteFrom(table).execute()
    expect(await verify()).toEqual({ intact: false, entries: 0, problem: 'deactivated' })
  })

  it('gives away that everything but its activation was removed', async () => {
    const fixture = await openIdentity(open)
    const { queries, verify } = await audited(fixture)
    for (const table of ['audit_heads', 'audit_entries', 'audit_logs'] as const)
      await queries.deleteFrom(table).execute()
    expect(await verify()).toMatchObject({ intact: false, brokenAt: 1, problem: 'removed' })
  })
})

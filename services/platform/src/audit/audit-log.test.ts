import type { Queries } from '@atoll/kernel/db/database'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import { ensureFirstIdentity } from '../identity/first-start.ts'
import { type Fixture, foundAcme, openIdentity, problemOf } from '../identity/testing/identity-fixture.ts'
import { AuditLog, indexedAtOnce } from './audit-log.ts'
import { findActivation } from './store.ts'
import { verifyLog } from './verify.ts'

async function audited(fixture: Fixture) {
  const acme = await foundAcme(fixture.identity)
  await new AuditLog(fixture).activate({ type: 'system' }, acme.organizationId)
  return acme
}

const admin = (number: number, userId: string): Actor => ({
  type: 'api_key',
  keyId: `key_${number}`,
  owner: { type: 'user', userId },
  address: '127.0.0.1',
  userAgent: null,
})

const entriesOf = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom('audit_logs')
    .select(['type', 'resource_id', 'actor_key_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .execute()

describeBothDatabases('an audit log', (open) => {
  it('shows what became of it when admins change the same thing at once', async () => {
    const fixture = await openIdentity(open)
    const { identity, db } = fixture
    const { organizationId, ada } = await audited(fixture)
    const { id } = await identity.projects.create(organizationId, { name: 'contested', creatorId: ada.id })
    const attempts = Array.from({ length: 24 }, async (_, at) => {
      const { projects } = identity.as(admin(at, ada.id))
      const work =
        at % 2 === 0 ? projects.rename(organizationId, id, `name ${at}`) : projects.archive(organizationId, id)
      return (await problemOf(work)) === undefined ? `key_${at}` : undefined
    })
    const done = (await Promise.all(attempts)).filter((key) => key !== undefined)
    const entries = await entriesOf(db.queries, organizationId)
    const of = (type: string) => entries.filter((entry) => entry.type === type)
    expect(of('project.archived')).toHaveLength(1)
    const renamed = done.filter((key) => Number(key.slice('key_'.length)) % 2 === 0)
    expect(
      of('project.updated')
        .map((entry) => entry.actor_key_id)
        .sort(),
    ).toEqual(renamed.sort())
    expect(entries.at(-1)?.type).toBe('project.archived')
    expect(await verifyLog(db.queries, organizationId)).toMatchObject({ intact: true, entries: entries.length })
  })

  it('is activated once, also when several do it at the same moment', async () => {
    const fixture = await openIdentity(open)
    const { organizationId } = await foundAcme(fixture.identity)
    const audit = new AuditLog(fixture)
    const times = await Promise.all(Array.from({ length: 5 }, () => audit.activate({ type: 'system' }, organizationId)))
    expect(new Set(times).size).toBe(1)
    expect(await entriesOf(fixture.db.queries, organizationId)).toHaveLength(1)
  })

  it('tells of keys that the environment brought, and of legacy keys in every organization they reach', async () => {
    const fixture = await openIdentity(open)
    const { identity, db } = fixture
    const { organizationId, ada } = await audited(fixture)
    await ensureFirstIdentity(fixture, { apiKey: 'brought-along', adminKey: 'brought-along-too' })
    const other = await identity.organizations.create('Other', { name: 'Ada', email: ada.email })
    await new AuditLog(fixture).activate({ type: 'system' }, other.organization.id)
    const { id } = await identity.userKeys.create({ userId: ada.id, name: 'legacy' })
    await identity.userKeys.remove(ada.id, id)
    const shown = async (organization: string) =>
      (await entriesOf(db.queries, organization)).slice(1).map(({ type, resource_id }) => [type, resource_id === id])
    const legacy = [
      ['api_key.created', true],
      ['api_key.deleted', true],
    ]
    expect(await shown(other.organization.id)).toEqual(legacy)
    expect(await shown(organizationId)).toEqual([['api_key.created', false], ['api_key.created', false], ...legacy])
  })

  it('follows names that were changed past it, a change that was undone, and another node', async () => {
    const fixture = await openIdentity(open)
    const { identity, db } = fixture
    const { organizationId, ada } = await audited(fixture)
    const { projects } = identity.as(admin(1, ada.id))
    const { id } = await projects.create(organizationId, { name: 'first', creatorId: ada.id })
    const change = { type: 'project.updated' as const, projectId: id, details: { id } }
    const record = (audit: AuditLog) =>
      db.transaction((tx) => audit.record(tx, admin(2, ada.id), organizationId, change))
    await record(fixture.audit as AuditLog)
    await db.queries.updateTable('projects').set({ name: 'second' }).where('id', '=', id).execute()
    await db.queries.updateTable('users').set({ email: 'other@example.com' }).where('id', '=', ada.id).execute()
    const undone = db.transaction(async (tx) => {
      await fixture.audit.record(tx, admin(3, ada.id), organizationId, change)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    const elsewhere = new AuditLog(fixture)
    for (const audit of [fixture.audit as AuditLog, elsewhere, fixture.audit as AuditLog]) await record(audit)
    expect(await verifyLog(db.queries, organizationId)).toMatchObject({ intact: true, entries: 6 })
    const rows = await db.queries.selectFrom('audit_entries').select('entry').orderBy('seq').execute()
    const told = rows.slice(2).map(({ entry }) => {
      const { project, actor } = JSON.parse(entry)
      return [project.name, actor.api_key.user.email]
    })
    const now = ['second', 'other@example.com']
    expect(told).toEqual([['first', 'ada@example.com'], now, now, now])
  })

  it('comes into its indexes many entries at a time, all of them once the last of these is written', async () => {
    const fixture = await openIdentity(open)
    const { db, audit } = fixture
    const { organizationId } = await audited(fixture)
    const change = { type: 'organization.updated' as const, details: { id: organizationId } }
    const write = (count: number) =>
      db.transaction(async (tx) => {
        for (let at = 0; at < count; at++) await audit.record(tx, { type: 'system' }, organizationId, change)
      })
    const indexed = async () => {
      const { queries } = db
      const rows = await queries.selectFrom('audit_logs').select('indexed').where('indexed', '=', 1).execute()
      return [(await findActivation(queries, organizationId))?.indexed_up_to, rows.length]
    }
    await write(indexedAtOnce - 2)
    expect(await indexed()).toEqual([0, 0])
    await write(5)
    await expect.poll(indexed, { timeout: 20_000 }).toEqual([indexedAtOnce, indexedAtOnce])
    expect(await verifyLog(db.queries, organizationId)).toMatchObject({ intact: true, entries: indexedAtOnce + 4 })
  })
})

// Several nodes on one PostgreSQL. Their clocks stand still, so nothing but an event can end what a node remembers.
import { ManualClock } from '@atoll/kernel/clock/clock'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { connect } from '@atoll/kernel/db/postgres/connection'
import { createPostgresEvents } from '@atoll/kernel/events/postgres-notify'
import { createIds } from '@atoll/kernel/ids/ids'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it, onTestFinished } from 'vitest'
import { ensureFirstIdentity } from './first-start.ts'
import { bearer, changesHeard, foundAcme, identityOn, identityTables, problemOf } from './testing/identity-fixture.ts'

async function startNode(url: string) {
  const db = await openDatabase({ kind: 'postgres', url, poolSize: 2 }, { log: silentLog })
  await migrate(db, identityTables)
  const events = await createPostgresEvents(url, silentLog)
  // Ends in the opposite order: identity, then events, then the database.
  onTestFinished(() => db.close())
  onTestFinished(() => events.close())
  return identityOn(db, { events })
}

describePostgres('identity on several nodes', () => {
  it('refuses on one node the key that was deleted on another', async () => {
    const url = await createPostgresDatabase()
    const one = await startNode(url)
    const two = await startNode(url)
    const founded = changesHeard(two.events, 2)
    const { organizationId, defaultProject, secret, keyId } = await foundAcme(one.identity)
    await founded
    expect((await two.identity.authenticate(bearer(secret), 'project')).keyId).toBe(keyId)
    const deleted = changesHeard(two.events, 1)
    await one.identity.projectKeys.remove(organizationId, defaultProject.id, keyId)
    await deleted
    expect(await problemOf(two.identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })

  it('trusts nothing it remembers after events may have been missed', async () => {
    const url = await createPostgresDatabase()
    const node = await startNode(url)
    const founded = changesHeard(node.events, 2)
    const { secret, keyId } = await foundAcme(node.identity)
    await founded
    await node.identity.authenticate(bearer(secret), 'project')
    // As if another node had done it while this one could not hear.
    await node.db.queries.deleteFrom('api_keys').where('id', '=', keyId).execute()
    await node.identity.authenticate(bearer(secret), 'project')
    const gap = new Promise<void>((resolve) => node.events.onGap(resolve))
    const client = await connect(url)
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
    )
    await client.end()
    await gap
    expect(await problemOf(node.identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })

  it.each([
    ['new keys', {}],
    ['given keys', { apiKey: 'given-key', adminKey: 'given-admin-key' }],
  ])('makes one first identity when all start at once, with %s', async (_, given) => {
    const url = await createPostgresDatabase()
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startNode(url)))
    const clock = new ManualClock()
    const results = await Promise.all(
      nodes.map(({ db }) => ensureFirstIdentity({ db, clock, ids: createIds(clock) }, given)),
    )
    const created = results.filter((result) => result.created)
    expect(created).toHaveLength(1)
    const { queries } = nodes[0]!.db
    expect(await queries.selectFrom('organizations').select('id').execute()).toHaveLength(1)
    expect(await queries.selectFrom('users').select('id').execute()).toHaveLength(1)
    expect(await queries.selectFrom('projects').select('id').execute()).toHaveLength(1)
    expect(await queries.selectFrom('api_keys').select('id').execute()).toHaveLength(2)
    const apiKey = ('apiKey' in given ? given.apiKey : undefined) ?? created[0]?.apiKey ?? ''
    for (const { identity } of nodes) await identity.authenticate(bearer(apiKey), 'project')
  })

  it('takes in a given key once when all restart at once with it', async () => {
    const url = await createPostgresDatabase()
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startNode(url)))
    const [{ db, ids, clock }] = nodes as [(typeof nodes)[0]]
    await ensureFirstIdentity({ db, ids, clock })
    await Promise.all(nodes.map((node) => ensureFirstIdentity(node, { apiKey: 'given-key' })))
    expect(await db.queries.selectFrom('api_keys').select('id').execute()).toHaveLength(3)
  })
})

// Two administrators at once: one wins where only one may, and the audit log tells what each did, no more and no less.
import { expect, it } from 'vitest'
import {
  describeNodes,
  describePlatform,
  type StartPlatform,
  type TestPlatform,
} from '../../testing/describe-platform.ts'
import { addPerson, adminOf, allOf, refusalOf } from './testing/admin-client.ts'

type Admin = ReturnType<typeof adminOf>

interface Pair {
  platform: TestPlatform
  /** Each owner of the organization, with a key of their own; on nodes of their own where there are two. */
  ada: Admin
  bob: Admin
  adaId: string
  bobId: string
}

async function pairOn(platform: TestPlatform, other: TestPlatform = platform): Promise<Pair> {
  const { organizationId, actor } = platform.caller
  const bob = await addPerson(platform, 'Bob', 'owner')
  const { adminKeys } = platform.platform.identity
  const key = await adminKeys.create(organizationId, { userId: bob.id, name: "Bob's" })
  const activated = await platform.as(platform.adminKey).post('/v1/organization/audit_logs/activate')
  expect(activated.status).toBe(200)
  return { platform, ada: adminOf(platform), bob: adminOf(other, key.secret), adaId: actor.id, bobId: bob.id }
}

const entries = async ({ ada }: Pair, type: string) => {
  const all = await allOf(ada.auditLogs.list({ limit: 100 }))
  return all.filter((entry) => entry.type === type)
}

const actorsOf = (found: { actor?: { api_key?: { user?: { id?: string } } | null } | null }[]) =>
  found.map(({ actor }) => actor?.api_key?.user?.id)

/** Both archive one project: it is archived once, and one of the two did it. */
async function bothArchive(pair: Pair): Promise<void> {
  const { ada, bob, adaId, bobId } = pair
  const { id } = await ada.projects.create({ name: 'Orders' })
  const [one, two] = await Promise.all([ada.projects.archive(id), bob.projects.archive(id)])
  expect(one).toEqual(two)
  const archived = await entries(pair, 'project.archived')
  expect(archived).toHaveLength(1)
  expect([adaId, bobId]).toContain(actorsOf(archived)[0])
}

/** One renames while the other archives: whatever comes first, an archived project was not renamed afterwards. */
async function renameAgainstArchive(pair: Pair): Promise<void> {
  const { ada, bob } = pair
  const { id } = await ada.projects.create({ name: 'Before' })
  const [refused] = await Promise.all([refusalOf(ada.projects.update(id, { name: 'After' })), bob.projects.archive(id)])
  const { name } = await ada.projects.retrieve(id)
  const renames = (await entries(pair, 'project.updated')).length
  if (refused === undefined) expect([name, renames]).toEqual(['After', 1])
  else expect([refused.code, name, renames]).toEqual(['project_archived', 'Before', 0])
}

/** Both take the ownership from the other: an owner remains. */
async function bothDemote(pair: Pair): Promise<void> {
  const { platform, ada, bob, adaId, bobId } = pair
  const refused = await Promise.all([
    refusalOf(ada.users.update(bobId, { role: 'member' })),
    refusalOf(bob.users.update(adaId, { role: 'member' })),
  ])
  expect(refused.filter((each) => each === undefined)).toHaveLength(1)
  // The other found itself the last owner, or was no owner any more when its turn came.
  const [loser] = refused.filter((each) => each !== undefined)
  expect(loser?.code === 'last_owner' || loser?.status === 401).toBe(true)
  const { organizationId } = platform.caller
  const { rows } = await platform.platform.identity.users.list(organizationId, { limit: 10, order: 'asc' })
  expect(rows.map(({ role }) => role).sort()).toEqual(['member', 'owner'])
  const winner = refused[0] === undefined ? ada : bob
  const told = await entries({ ...pair, ada: winner }, 'user.updated')
  expect(actorsOf(told)).toEqual([refused[0] === undefined ? adaId : bobId])
}

/** Both delete one key: one did, the other found nothing. */
async function bothDelete(pair: Pair): Promise<void> {
  const { platform, ada, bob } = pair
  const { keyId, projectId: project_id } = platform.caller
  const refused = await Promise.all(
    [ada, bob].map(({ projects }) => refusalOf(projects.apiKeys.delete(keyId, { project_id }))),
  )
  expect(refused.map((each) => each?.status).sort()).toEqual([404, undefined])
  const deleted = await entries(pair, 'api_key.deleted')
  expect(deleted).toMatchObject([{ 'api_key.deleted': { id: keyId }, project: { id: project_id } }])
}

const races = { bothArchive, renameAgainstArchive, bothDelete, bothDemote }

const race = async (start: StartPlatform, isOnTwoNodes: boolean): Promise<void> => {
  const platform = await start()
  const pair = await pairOn(platform, isOnTwoNodes ? await start({ after: platform }) : platform)
  for (const each of Object.values(races)) await each(pair)
}

describePlatform('two administrators at once', (start) => {
  it('one wins where only one may, and the audit log tells what was done (AST-211, AST-219, AST-245)', () =>
    race(start, false))
})

describeNodes('two administrators at once, each on a node of their own', (start) => {
  it('one wins where only one may, and the audit log tells what was done', () => race(start, true))
})

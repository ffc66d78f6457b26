// Every kind of key there is, alive and ended, and what it may expect of administration.
import type { Identity } from '../../../../identity/identity.ts'
import type { TestPlatform } from '../../../../testing/describe-platform.ts'
import type { Owner } from './objects.ts'

export interface MatrixKey {
  kind: string
  secret: string | undefined
  /** Of every administration endpoint; `admin`: as the object asks for. */
  gets: 401 | 403 | 'admin'
  /** Whose administration an admin key is for. */
  of?: 'ours' | 'theirs'
}

export async function makeKeys(platform: TestPlatform, ours: Owner, theirs: Owner): Promise<MatrixKey[]> {
  const { identity } = platform.platform
  const adminKey = (holder: Owner) =>
    identity.adminKeys.create(holder.organizationId, { userId: holder.userId, name: 'admin' })
  return [
    { kind: 'no key', secret: undefined, gets: 401 },
    { kind: 'garbage', secret: 'sk-admin-garbage', gets: 401 },
    { kind: 'project', secret: platform.apiKey, gets: 403 },
    { kind: 'user', secret: await platform.addUserKey(), gets: 403 },
    { kind: 'service account', secret: await platform.addServiceAccountKey(), gets: 403 },
    { kind: 'member of the organization', secret: await platform.addMemberKey(), gets: 403 },
    { kind: 'of an archived project', secret: await archivedKey(platform), gets: 401 },
    { kind: 'revoked project', secret: await revokedProjectKey(identity, platform), gets: 401 },
    { kind: 'revoked admin', secret: await revokedAdminKey(identity, ours), gets: 401 },
    { kind: 'admin who was removed', secret: await removedAdminKey(identity, ours), gets: 401 },
    { kind: 'admin who is owner no more', secret: await demotedAdminKey(identity, ours), gets: 401 },
    { kind: 'admin of this organization', secret: (await adminKey(ours)).secret, gets: 'admin', of: 'ours' },
    { kind: 'admin of another organization', secret: (await adminKey(theirs)).secret, gets: 'admin', of: 'theirs' },
  ]
}

async function archivedKey(platform: TestPlatform): Promise<string> {
  const archived = await platform.addProject('archived')
  await platform.platform.identity.projects.archive(archived.caller.organizationId, archived.caller.projectId)
  return archived.apiKey
}

async function revokedProjectKey(identity: Identity, { caller }: TestPlatform): Promise<string> {
  const { organizationId, projectId } = caller
  const key = await identity.projectKeys.create(organizationId, projectId, { userId: caller.actor.id, name: 'old' })
  await identity.projectKeys.remove(organizationId, projectId, key.id)
  return key.secret
}

async function revokedAdminKey(identity: Identity, { organizationId, userId }: Owner): Promise<string> {
  const key = await identity.adminKeys.create(organizationId, { userId, name: 'old' })
  await identity.adminKeys.remove(organizationId, key.id)
  return key.secret
}

async function removedAdminKey(identity: Identity, { organizationId }: Owner): Promise<string> {
  const person = { name: 'Removed', email: 'removed@example.com', role: 'owner' as const }
  const { id: userId } = await identity.users.add(organizationId, person)
  const { secret } = await identity.adminKeys.create(organizationId, { userId, name: 'of somebody removed' })
  await identity.users.remove(organizationId, userId)
  return secret
}

async function demotedAdminKey(identity: Identity, { organizationId }: Owner): Promise<string> {
  const person = { name: 'Demoted', email: 'demoted@example.com', role: 'owner' as const }
  const { id: userId } = await identity.users.add(organizationId, person)
  const { secret } = await identity.adminKeys.create(organizationId, { userId, name: 'of an owner no more' })
  await identity.users.changeRole(organizationId, userId, 'member')
  return secret
}

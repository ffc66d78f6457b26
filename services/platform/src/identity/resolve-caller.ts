// From a key and the headers beside it to a caller, by asking the database.
import type { Queries } from '@atoll/kernel/db/database'
import type { AdminCaller, ProjectCaller } from '../callers.ts'
import { type Access, projectAccess } from './access.ts'
import type { Caller } from './caller-cache.ts'
import type { Credentials } from './credentials.ts'
import { redact, sameDigest } from './keys/secret.ts'
import { type ApiKeyRow, findKey, findKeyByDigest } from './keys/store.ts'
import { problems } from './problems.ts'
import { type Project, projectOf } from './projects/project.ts'
import { findDefaultProject, findProject } from './projects/store.ts'
import { findServiceAccount } from './service-accounts/store.ts'
import { findMember, membershipsOf } from './users/store.ts'

type Scope = Omit<Credentials, 'secret'>

export async function resolveCaller(queries: Queries, credentials: Credentials, digest: string): Promise<Caller> {
  const key = await findKeyByDigest(queries, digest)
  if (!key || !sameDigest(key.digest, digest)) throw problems.badKey(redact(credentials.secret))
  const caller = await callerOf(queries, key, credentials)
  // The key outlived what it stands for: an archived project, a lost membership.
  if (!caller) throw problems.badKey(redact(credentials.secret))
  return Object.freeze(caller)
}

/** The holder of an admin key, by the key's id; undefined once the key or its holder's right has ended. */
export async function resolveAdminKey(queries: Queries, keyId: string, scope: Scope): Promise<AdminCaller | undefined> {
  const key = await findKey(queries, { id: keyId, kind: 'admin' })
  return key && adminCaller(queries, key, scope)
}

/** Who acts in place of an ordinary key, by the key's id; undefined once the key, or what it is for, has ended. */
export async function resolveProjectKey(
  queries: Queries,
  keyId: string,
  scope: Scope,
): Promise<ProjectCaller | undefined> {
  const key = await findKey(queries, { id: keyId })
  const caller = key && (await callerOf(queries, key, { secret: '', ...scope }))
  return caller?.kind === 'project' ? caller : undefined
}

/** An owner of an organization, without a key; undefined for everybody else. */
export async function resolveOwner(
  queries: Queries,
  { organizationId, userId, keyId }: Omit<AdminCaller, 'kind'>,
): Promise<AdminCaller | undefined> {
  const member = await findMember(queries, organizationId, userId)
  return member?.role === 'owner' ? { kind: 'admin', organizationId, userId, keyId } : undefined
}

/** An admin who acts in a project, with the rights that the person has there; undefined where that is none. */
export async function resolveInProject(
  queries: Queries,
  { organizationId, userId, keyId }: AdminCaller,
  projectId: string,
): Promise<ProjectCaller | undefined> {
  const row = await findProject(queries, organizationId, projectId)
  const access = row?.status === 'active' ? await projectAccess(queries, userId, projectOf(row)) : undefined
  if (!row || !access) return undefined
  const actor = { type: 'user' as const, id: userId }
  return { kind: 'project', organizationId, projectId: row.id, keyId, keyKind: 'user', actor, ...access }
}

function callerOf(queries: Queries, key: ApiKeyRow, credentials: Credentials): Promise<Caller | undefined> {
  if (key.kind === 'admin') return adminCaller(queries, key, credentials)
  if (key.kind === 'user') return userKeyCaller(queries, key, credentials)
  return projectKeyCaller(queries, key, credentials)
}

async function adminCaller(
  queries: Queries,
  key: ApiKeyRow,
  { organization, project }: Scope,
): Promise<AdminCaller | undefined> {
  if (key.organization_id === null || key.user_id === null) return undefined
  const holder = await findMember(queries, key.organization_id, key.user_id)
  if (holder?.role !== 'owner') return undefined
  if (organization !== undefined && organization !== key.organization_id) throw problems.mismatchedOrganization()
  if (project !== undefined && !(await findProject(queries, key.organization_id, project))) {
    throw problems.mismatchedProject()
  }
  return { kind: 'admin', organizationId: key.organization_id, keyId: key.id, userId: key.user_id }
}

/** A key of one project, a person's or a service account's: the headers may only confirm what it says. */
async function projectKeyCaller(
  queries: Queries,
  key: ApiKeyRow,
  { organization, project }: Credentials,
): Promise<ProjectCaller | undefined> {
  if (key.organization_id === null || key.project_id === null) return undefined
  const row = await findProject(queries, key.organization_id, key.project_id)
  if (row?.status !== 'active') return undefined
  const holder = await holderOf(queries, key, projectOf(row))
  if (!holder) return undefined
  if (organization !== undefined && organization !== row.organization_id) throw problems.mismatchedOrganization()
  if (project !== undefined && project !== row.id) throw problems.mismatchedProject()
  return { kind: 'project', organizationId: row.organization_id, projectId: row.id, keyId: key.id, ...holder }
}

async function holderOf(
  queries: Queries,
  key: ApiKeyRow,
  project: Project,
): Promise<(Access & Pick<ProjectCaller, 'keyKind' | 'actor'>) | undefined> {
  if (key.service_account_id !== null) {
    const account = await findServiceAccount(queries, project.id, key.service_account_id)
    if (!account) return undefined
    const actor = { type: 'service_account' as const, id: account.id }
    return { keyKind: 'service_account', actor, organizationRole: 'member', projectRole: account.role }
  }
  if (key.user_id === null) return undefined
  const access = await projectAccess(queries, key.user_id, project)
  return access && { keyKind: 'project', actor: { type: 'user', id: key.user_id }, ...access }
}

/** A legacy user key: the headers choose among everything its user belongs to. */
async function userKeyCaller(
  queries: Queries,
  key: ApiKeyRow,
  { organization, project }: Credentials,
): Promise<ProjectCaller | undefined> {
  if (key.user_id === null) return undefined
  const memberships = await membershipsOf(queries, key.user_id)
  const organizationId = organization ?? memberships[0]?.organization_id
  if (organizationId === undefined) return undefined
  if (!memberships.some((membership) => membership.organization_id === organizationId)) {
    throw problems.mismatchedOrganization()
  }
  const row = await (project === undefined
    ? findDefaultProject(queries, organizationId)
    : findProject(queries, organizationId, project))
  const access = row?.status === 'active' ? await projectAccess(queries, key.user_id, projectOf(row)) : undefined
  if (!row || !access) throw problems.mismatchedProject()
  const actor = { type: 'user' as const, id: key.user_id }
  return { kind: 'project', organizationId, projectId: row.id, keyId: key.id, keyKind: 'user', actor, ...access }
}

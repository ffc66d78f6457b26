// Sessions of the web console: somebody logs in once, with a key or by a link, and a cookie stands for that until it is
// over. With an admin key, or by a link, it administers; with a key of a project it acts there, and nowhere else.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { HostRule } from '@atoll/kernel/http/own-host'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Ids } from '@atoll/kernel/ids/ids'
import { originOf } from '../audit/actor-of.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { AdminCaller, ProjectCaller } from '../callers.ts'
import { consoleErrors } from '../errors/console.ts'
import type { Identity } from '../identity/identity.ts'
import { digestOf } from '../identity/keys/secret.ts'
import { findOldestOrganization } from '../identity/organizations/store.ts'
import { IdentityProblem } from '../identity/problems.ts'
import { readToken } from './cookie.ts'
import type { FailedLogins } from './failed-logins.ts'
import type { LoginLinks } from './links.ts'
import { requireOwnPage, requireOwnSocket } from './own-page.ts'
import type { LoggedOut, LoginBody, SessionObject } from './schema.ts'
import { deleteSession, deleteSessionsExpiredBefore, findSession, insertSession, type SessionRow } from './store.ts'

export const sessionLifetimeSeconds = 12 * 60 * 60
/** So long it is still told that somebody tried to end an expired one. */
const keepExpiredSeconds = 7 * 24 * 60 * 60
const tokenLetters = 48

/** Names the project that a session acts in. */
export const projectHeader = 'x-atoll-project'

type Head = Pick<RequestHead, 'address' | 'headers'>

/** Who acts in a session: with the rights of what it was opened with, and no others. */
type Holder = AdminCaller | ProjectCaller

/** Whose session it becomes; without a key where it was opened by a link. */
interface Person {
  organizationId: string
  userId: string
  keyId?: string
}

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  identity: Identity
  audit: AuditLog
  failedLogins: FailedLogins
  links: LoginLinks
  isOwnHost: HostRule
}

export class Console {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The token is told this once, to the browser's cookie. */
  async logIn(head: Head, body: LoginBody): Promise<{ session: SessionObject; token: string }> {
    this.#requireOwnPage(head)
    const { failedLogins, ids } = this.#parts
    await failedLogins.count(head.address)
    const person = 'key' in body ? await this.#byKey(head, body.key) : await this.#byLink(head, body.link)
    await failedLogins.takeBack(head.address)
    const token = ids.secret(tokenLetters)
    const row = this.#newSession(person, token)
    const caller = await this.#holderOf(row, head)
    if (!caller) throw consoleErrors.noSession()
    await this.#keep(head, row)
    return { session: await this.#present(row, caller), token }
  }

  async #byKey(head: Head, key: string): Promise<Person> {
    const { identity } = this.#parts
    const credentials = { headers: { authorization: `Bearer ${key}` } }
    try {
      return await identity.authenticate(credentials, 'admin')
    } catch (error) {
      const isOrdinary = error instanceof IdentityProblem && error.detail.kind === 'wrong_key_kind'
      if (!isOrdinary) return this.#refuse(head, key, error)
      const refuse = (refused: unknown): Promise<never> => this.#refuse(head, key, refused)
      return personOf(await identity.authenticate(credentials, 'project').catch(refuse)) ?? refuse(error)
    }
  }

  async #byLink(head: Head, secret: string): Promise<Person> {
    const { db, identity, links } = this.#parts
    const link = await db.transaction((tx) => links.redeem(tx, secret))
    const person = link && { organizationId: link.organization_id, userId: link.user_id }
    if (person && (await identity.ownerOf({ ...person, keyId: '' }))) return person
    await this.#recordFailure(head, secret, wrongLink)
    throw consoleErrors.badLink()
  }

  async session(head: Head): Promise<SessionObject> {
    const { row, caller } = await this.#current(head)
    return this.#present(row, caller)
  }

  async logOut(head: Head): Promise<LoggedOut> {
    this.#requireOwnPage(head)
    const row = await this.#kept(head)
    if (!row) throw consoleErrors.noSession()
    const isOver = !(await this.#holderOf(row, head))
    await this.#parts.db.transaction(async (tx) => {
      if (!(await deleteSession(tx, row.id))) throw consoleErrors.noSession()
      const change = isOver
        ? { type: 'logout.failed' as const, details: sessionOver }
        : { type: 'logout.succeeded' as const, details: {} }
      await this.#parts.audit.record(tx, actorIn(row, head), row.organization_id, change)
    })
    if (isOver) throw consoleErrors.noSession()
    return { object: 'console.session', id: row.id, deleted: true }
  }

  /** Who acts in a request that the cookie stands for. Asked anew each time: a session ends with its key, everywhere. */
  async callerOf(head: Head): Promise<AdminCaller> {
    const { caller } = await this.#current(head)
    if (caller.kind !== 'admin') throw consoleErrors.notAdmin()
    return caller
  }

  /**
   * The person, where they may steer the other services of this machine: an owner of its first organization. Others may
   * be guests on it. `way` tells how the page came: by a request, or by a WebSocket.
   */
  async operatorOf(head: Head, way: 'page' | 'socket' = 'page'): Promise<SessionObject> {
    if (way === 'socket') requireOwnSocket(head, this.#parts.isOwnHost)
    else this.#requireOwnPage(head)
    const { row, caller } = await this.#held(head)
    const session = await this.#present(row, caller)
    if (!session.is_operator) throw consoleErrors.notOperator()
    return session
  }

  async #operates({ organization_id: organizationId, user_id: userId, id }: SessionRow): Promise<boolean> {
    const { db, identity } = this.#parts
    const first = await findOldestOrganization(db.queries)
    return first?.id === organizationId && (await identity.ownerOf({ organizationId, userId, keyId: id })) !== undefined
  }

  /** The same person in the project that the request names, with the rights they have there. */
  async projectCallerOf(head: Head): Promise<ProjectCaller> {
    return this.#inProject((await this.#current(head)).caller, String(head.headers[projectHeader]))
  }

  /** The same for a WebSocket, which carries no header of the page's choice. */
  async socketCallerOf(head: Head, projectId: string): Promise<ProjectCaller> {
    requireOwnSocket(head, this.#parts.isOwnHost)
    return this.#inProject((await this.#held(head)).caller, projectId)
  }

  async #inProject(holder: Holder, projectId: string): Promise<ProjectCaller> {
    const caller = holder.kind === 'admin' ? await this.#parts.identity.inProject(holder, projectId) : holder
    if (caller?.projectId !== projectId || holder.sessionId === undefined) throw consoleErrors.noSuchProject()
    return { ...caller, sessionId: holder.sessionId }
  }

  #requireOwnPage(head: Head): void {
    requireOwnPage(head, this.#parts.isOwnHost)
  }

  async #current(head: Head): Promise<{ row: SessionRow; caller: Holder }> {
    this.#requireOwnPage(head)
    return this.#held(head)
  }

  async #held(head: Head): Promise<{ row: SessionRow; caller: Holder }> {
    const row = await this.#kept(head)
    const caller = row && (await this.#holderOf(row, head))
    if (!row || !caller) throw consoleErrors.noSession()
    return { row, caller: { ...caller, sessionId: row.id } }
  }

  async #kept({ headers }: Head): Promise<SessionRow | undefined> {
    const token = readToken(headers)
    return token === undefined ? undefined : findSession(this.#parts.db.queries, digestOf(token))
  }

  async #holderOf(row: SessionRow, head: Head): Promise<Holder | undefined> {
    if (row.expires_at <= unixSeconds(this.#parts.clock)) return undefined
    const { identity } = this.#parts
    const { organization_id: organizationId, user_id: userId, key_id: keyId } = row
    if (keyId === row.id) return identity.ownerOf({ organizationId, userId, keyId })
    const admin = await identity.adminOfKey(keyId, head)
    return admin ?? identity.projectOfKey(keyId, { organization: organizationId, project: undefined })
  }

  #newSession({ organizationId, userId, keyId }: Person, token: string): SessionRow {
    const now = unixSeconds(this.#parts.clock)
    const id = this.#parts.ids.next('session_')
    return {
      id,
      digest: digestOf(token),
      key_id: keyId ?? id,
      organization_id: organizationId,
      user_id: userId,
      created_at: now,
      expires_at: now + sessionLifetimeSeconds,
    }
  }

  async #keep(head: Head, row: SessionRow): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await deleteSessionsExpiredBefore(tx, row.created_at - keepExpiredSeconds)
      await insertSession(tx, row)
      const change = { type: 'login.succeeded' as const, details: {} }
      await this.#parts.audit.record(tx, actorIn(row, head), row.organization_id, change)
    })
  }

  async #refuse(head: Head, key: string, error: unknown): Promise<never> {
    if (!(error instanceof IdentityProblem)) throw error
    const isOrdinary = error.detail.kind === 'wrong_key_kind'
    await this.#recordFailure(head, key, isOrdinary ? keyOfNobody : wrongKey)
    throw isOrdinary ? consoleErrors.keyOfNobody() : consoleErrors.badKey()
  }

  /** On record with where it came from; the secret stays out of it. */
  async #recordFailure(head: Head, secret: string, details: FailureDetails): Promise<void> {
    const holder = await this.#parts.identity.holderOf(secret)
    if (!holder) return
    const by = { type: 'session' as const, userId: holder.userId, ...originOf(head) }
    await this.#parts.db.transaction((tx) =>
      this.#parts.audit.record(tx, by, holder.organizationId, { type: 'login.failed', details }),
    )
  }

  async #present(row: SessionRow, caller: Holder): Promise<SessionObject> {
    const { users, organizations, projects } = this.#parts.identity
    const project = caller.kind === 'admin' ? null : await projects.get(row.organization_id, caller.projectId)
    const { id, name, email } = await users.get(row.organization_id, row.user_id)
    const organization = await organizations.get(row.organization_id)
    return {
      object: 'console.session',
      id: row.id,
      user: { id, name, email },
      organization: { id: organization.id, name: organization.name },
      is_admin: caller.kind === 'admin',
      project: project && { id: project.id, name: project.name },
      is_operator: caller.kind === 'admin' && (await this.#operates(row)),
      created_at: row.created_at,
      expires_at: row.expires_at,
    }
  }
}

/** Undefined for the key of a service account: a session is somebody's. */
const personOf = ({ actor, organizationId, keyId }: ProjectCaller): Person | undefined =>
  actor.type === 'user' ? { organizationId, userId: actor.id, keyId } : undefined

const actorIn = (row: SessionRow, head: Head) => ({ type: 'session' as const, userId: row.user_id, ...originOf(head) })

type FailureDetails = { error_code: string; error_message: string }

const wrongKey = { error_code: 'invalid_api_key', error_message: 'The key is no valid key.' }
const keyOfNobody = { error_code: 'insufficient_permissions', error_message: 'The key is of a service account.' }
const wrongLink = { error_code: 'invalid_link', error_message: 'The link was used already, or has expired.' }
const sessionOver = { error_code: 'no_session', error_message: 'The session had ended already.' }

// Sessions of the web console: an admin logs in with a key once, and a cookie stands for it until it is over.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Ids } from '@atoll/kernel/ids/ids'
import { originOf } from '../audit/actor-of.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { AdminCaller } from '../callers.ts'
import { consoleErrors } from '../errors/console.ts'
import type { Identity } from '../identity/identity.ts'
import { digestOf } from '../identity/keys/secret.ts'
import { IdentityProblem } from '../identity/problems.ts'
import { readToken } from './cookie.ts'
import type { FailedLogins } from './failed-logins.ts'
import { requireOwnPage } from './own-page.ts'
import type { LoggedOut, SessionObject } from './schema.ts'
import { deleteSession, deleteSessionsExpiredBefore, findSession, insertSession, type SessionRow } from './store.ts'

export const sessionLifetimeSeconds = 12 * 60 * 60
/** So long it is still told that somebody tried to end an expired one. */
const keepExpiredSeconds = 7 * 24 * 60 * 60
const tokenLetters = 48

type Head = Pick<RequestHead, 'address' | 'headers'>

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  identity: Identity
  audit: AuditLog
  failedLogins: FailedLogins
}

export class Console {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The token is told this once, to the browser's cookie. */
  async logIn(head: Head, key: string): Promise<{ session: SessionObject; token: string }> {
    requireOwnPage(head)
    const { identity, failedLogins, ids } = this.#parts
    const { address } = head
    await failedLogins.count(address)
    const admin = await identity
      .authenticate({ headers: { authorization: `Bearer ${key}` } }, 'admin')
      .catch((error: unknown) => this.#refuse(head, key, error))
    await failedLogins.takeBack(address)
    const token = ids.secret(tokenLetters)
    const row = this.#newSession(admin, token)
    await this.#keep(head, row)
    return { session: await this.#present(row), token }
  }

  async session(head: Head): Promise<SessionObject> {
    return this.#present((await this.#current(head)).row)
  }

  async logOut(head: Head): Promise<LoggedOut> {
    requireOwnPage(head)
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
    return (await this.#current(head)).caller
  }

  async #current(head: Head): Promise<{ row: SessionRow; caller: AdminCaller }> {
    requireOwnPage(head)
    const row = await this.#kept(head)
    const caller = row && (await this.#holderOf(row, head))
    if (!row || !caller) throw consoleErrors.noSession()
    return { row, caller: { ...caller, sessionId: row.id } }
  }

  async #kept({ headers }: Head): Promise<SessionRow | undefined> {
    const token = readToken(headers)
    return token === undefined ? undefined : findSession(this.#parts.db.queries, digestOf(token))
  }

  async #holderOf(row: SessionRow, head: Head): Promise<AdminCaller | undefined> {
    if (row.expires_at <= unixSeconds(this.#parts.clock)) return undefined
    return this.#parts.identity.adminOfKey(row.key_id, head)
  }

  #newSession(admin: AdminCaller, token: string): SessionRow {
    const now = unixSeconds(this.#parts.clock)
    return {
      id: this.#parts.ids.next('session_'),
      digest: digestOf(token),
      key_id: admin.keyId,
      organization_id: admin.organizationId,
      user_id: admin.userId,
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

  /** On record with where it came from; the key stays out of it. */
  async #refuse(head: Head, key: string, error: unknown): Promise<never> {
    if (!(error instanceof IdentityProblem)) throw error
    const isOrdinary = error.detail.kind === 'wrong_key_kind'
    const holder = await this.#parts.identity.holderOf(key)
    if (holder) {
      const by = { type: 'session' as const, userId: holder.userId, ...originOf(head) }
      const details = isOrdinary ? ordinaryKey : wrongKey
      await this.#parts.db.transaction((tx) =>
        this.#parts.audit.record(tx, by, holder.organizationId, { type: 'login.failed', details }),
      )
    }
    throw isOrdinary ? consoleErrors.ordinaryKey() : consoleErrors.badKey()
  }

  async #present(row: SessionRow): Promise<SessionObject> {
    const { users, organizations } = this.#parts.identity
    const { id, name, email } = await users.get(row.organization_id, row.user_id)
    const organization = await organizations.get(row.organization_id)
    return {
      object: 'console.session',
      id: row.id,
      user: { id, name, email },
      organization: { id: organization.id, name: organization.name },
      created_at: row.created_at,
      expires_at: row.expires_at,
    }
  }
}

const actorIn = (row: SessionRow, head: Head) => ({ type: 'session' as const, userId: row.user_id, ...originOf(head) })

const wrongKey = { error_code: 'invalid_api_key', error_message: 'The key is no valid admin key.' }
const ordinaryKey = { error_code: 'insufficient_permissions', error_message: 'The key is an ordinary one.' }
const sessionOver = { error_code: 'no_session', error_message: 'The session had ended already.' }

// Users: who may log in, and with which role.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import { isUniqueViolation } from '@atoll/kernel/db/unique-violation'
import type { ClusterUser } from '../../callers.ts'
import * as errors from '../../errors.ts'
import { checkPassword, hashPassword, isPassword, type PasswordCost } from '../../identity/passwords.ts'
import { requirePermission } from '../../identity/roles.ts'
import type { EventLog } from '../logs/service.ts'
import type { CreateUser, UpdateUser, UserObject } from './schema.ts'
import * as store from './store.ts'
import { newUserRow, userObject } from './user.ts'

interface Parts {
  db: Database
  clock: Clock
  events: EventLog
  passwordCost?: PasswordCost | undefined
}

export class Users {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(): Promise<UserObject[]> {
    return (await store.allUsers(this.#parts.db.queries)).map(userObject)
  }

  /** Of whoever calls. */
  find(uid: number): Promise<store.UserRow | undefined> {
    return store.findUser(this.#parts.db.queries, uid)
  }

  findByEmail(email: string): Promise<store.UserRow | undefined> {
    return store.findUserByEmail(this.#parts.db.queries, email.toLowerCase())
  }

  /** Everybody may see themselves. */
  async get(caller: ClusterUser, uid: number): Promise<UserObject> {
    if (caller.uid !== uid) requirePermission(caller, 'view_user_info')
    return userObject(await this.#find(this.#parts.db.queries, uid))
  }

  async create(caller: ClusterUser, asked: CreateUser): Promise<UserObject> {
    if (asked.role === 'admin' && caller.role !== 'admin') throw errors.onlyAdmins()
    checkPassword(asked.password)
    const { email, role, name = email } = asked
    const passwordHash = await hashPassword(asked.password, this.#parts.passwordCost)
    const alerts = { emailAlerts: asked.email_alerts ?? false, bdbsEmailAlerts: asked.bdbs_email_alerts ?? [] }
    return this.#change({ email, name }, async (tx) => {
      await refuseTaken(tx, { email, name })
      const row = await newUserRow(tx, { email, name, role, passwordHash, now: this.#parts.clock.now(), ...alerts })
      await store.insertUser(tx, row)
      await this.#tell(tx, 'user_created', caller, row.uid)
      return userObject(row)
    })
  }

  /** Everybody may change their own name, password and alerts. */
  async update(caller: ClusterUser, uid: number, asked: UpdateUser): Promise<UserObject> {
    if (caller.uid !== uid || asked.role !== undefined || asked.email !== undefined) {
      requirePermission(caller, 'update_user')
    }
    const current = await this.#find(this.#parts.db.queries, uid)
    refuseAdminChange(caller, current, asked)
    const password = await this.#newPassword(current, asked.password)
    return this.#change(asked, async (tx) => {
      const row = await this.#find(tx, uid)
      refuseAdminChange(caller, row, asked)
      if (row.role === 'admin' && asked.role !== undefined && asked.role !== 'admin') await refuseLastAdmin(tx)
      await refuseTaken(tx, asked, uid)
      const change = { ...changeOf(asked), ...password }
      if (Object.keys(change).length > 0) await store.updateUser(tx, uid, change)
      await this.#tell(tx, password === undefined ? 'user_updated' : 'user_password_changed', caller, uid)
      return userObject({ ...row, ...change })
    })
  }

  async remove(caller: ClusterUser, uid: number): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      const row = await this.#find(tx, uid)
      refuseAdminChange(caller, row, {})
      if (row.role === 'admin') await refuseLastAdmin(tx)
      await store.deleteUser(tx, uid)
      await this.#tell(tx, 'user_deleted', caller, uid)
    })
  }

  async #newPassword(row: store.UserRow, password: string | undefined) {
    if (password === undefined) return undefined
    checkPassword(password)
    if (await isPassword(password, row.password_hash)) throw errors.samePassword()
    const { clock, passwordCost } = this.#parts
    return { password_hash: await hashPassword(password, passwordCost), password_issued_at: clock.now() }
  }

  /** Two at once may both find a name free; the tables do not. */
  async #change<T>(asked: { email?: string | undefined; name?: string | undefined }, work: (tx: Tx) => Promise<T>) {
    try {
      return await this.#parts.db.transaction(work)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      await refuseTaken(this.#parts.db.queries, asked)
      throw error
    }
  }

  async #find(queries: Parameters<typeof store.findUser>[0], uid: number): Promise<store.UserRow> {
    const row = await store.findUser(queries, uid)
    if (row === undefined) throw errors.noSuchUser(uid)
    return row
  }

  #tell(tx: Tx, type: string, caller: ClusterUser, uid: number): Promise<void> {
    const message = `user ${uid}: ${type.replaceAll('_', ' ')}`
    return this.#parts.events.add(tx, {
      severity: 'INFO',
      type,
      originator: caller.email,
      object: `user:${uid}`,
      message,
    })
  }
}

function changeOf(asked: UpdateUser): Partial<store.UserRow> {
  const { email, name, role, email_alerts, bdbs_email_alerts } = asked
  return {
    ...(email === undefined ? {} : { email: email.toLowerCase() }),
    ...(name === undefined ? {} : { name }),
    ...(role === undefined ? {} : { role }),
    ...(email_alerts === undefined ? {} : { email_alerts: email_alerts ? 1 : 0 }),
    ...(bdbs_email_alerts === undefined ? {} : { bdbs_email_alerts: JSON.stringify(bdbs_email_alerts) }),
  }
}

/** A user manager must not become an admin by another's password or by a new role. */
function refuseAdminChange(caller: ClusterUser, row: store.UserRow, asked: UpdateUser): void {
  if (caller.role !== 'admin' && (row.role === 'admin' || asked.role === 'admin')) throw errors.onlyAdmins()
}

async function refuseLastAdmin(tx: Tx): Promise<void> {
  if ((await store.countUsers(tx, 'admin')) < 2) throw errors.lastAdmin()
}

async function refuseTaken(
  queries: Parameters<typeof store.findUser>[0],
  { email, name }: { email?: string | undefined; name?: string | undefined },
  exceptUid?: number,
): Promise<void> {
  const byEmail = email === undefined ? undefined : await store.findUserByEmail(queries, email.toLowerCase())
  if (byEmail !== undefined && byEmail.uid !== exceptUid) throw errors.emailExists(byEmail.email)
  const byName = name === undefined ? undefined : await store.findUserByName(queries, name)
  if (byName !== undefined && byName.uid !== exceptUid) throw errors.nameExists(byName.name)
}

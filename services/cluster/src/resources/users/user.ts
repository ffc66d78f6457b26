// A user as kept and as shown. The password is never shown, not even its hash.
import type { Tx } from '@atoll/kernel/db/database'
import type { Role } from '../../identity/schema.ts'
import { nextNumber } from '../../numbers.ts'
import type { UserObject } from './schema.ts'
import type { UserRow } from './store.ts'

export type { UserRow } from './store.ts'

interface NewUser {
  email: string
  name: string
  role: Role
  passwordHash: string
  now: number
  emailAlerts?: boolean
  bdbsEmailAlerts?: readonly string[]
}

export async function newUserRow(tx: Tx, user: NewUser): Promise<UserRow> {
  return {
    uid: await nextNumber(tx, 'users'),
    email: user.email.toLowerCase(),
    name: user.name,
    role: user.role,
    status: 'active',
    password_hash: user.passwordHash,
    password_issued_at: user.now,
    email_alerts: user.emailAlerts === true ? 1 : 0,
    bdbs_email_alerts: JSON.stringify(user.bdbsEmailAlerts ?? []),
  }
}

export const userObject = (row: UserRow): UserObject => ({
  uid: row.uid,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.status,
  auth_method: 'regular',
  email_alerts: row.email_alerts === 1,
  bdbs_email_alerts: JSON.parse(row.bdbs_email_alerts),
  password_issue_date: new Date(row.password_issued_at).toISOString(),
})

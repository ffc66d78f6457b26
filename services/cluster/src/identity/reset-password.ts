// For whoever owns the data folder and has lost the password of every admin.
import type { Kernel } from '@atoll/kernel/kernel'
import { Audit } from '../audit/audit.ts'
import { EventLog } from '../resources/logs/service.ts'
import type { UserObject } from '../resources/users/schema.ts'
import { Users } from '../resources/users/service.ts'
import { madeUpPassword } from './first-admin.ts'
import { permissionsOf } from './roles.ts'

type Parts = Pick<Kernel, 'db' | 'clock' | 'ids'>

const usersOf = (kernel: Parts): Users => new Users({ ...kernel, events: new EventLog(kernel) })

export const listAdmins = async (kernel: Parts): Promise<UserObject[]> =>
  (await usersOf(kernel).list()).filter(({ role }) => role === 'admin')

/** Undefined: there is no such admin. Without an address it is the oldest one. */
export async function resetPassword(
  kernel: Parts,
  email?: string,
): Promise<{ email: string; password: string } | undefined> {
  const users = usersOf(kernel)
  const found = (await listAdmins(kernel)).find((user) => email === undefined || user.email === email.toLowerCase())
  if (found === undefined) return undefined
  const password = madeUpPassword(kernel)
  const caller = { uid: found.uid, name: found.name, email: found.email, role: found.role }
  const path = `/v1/users/${found.uid}`
  const entry = { user: found.email, address: 'this machine', method: 'REPLACE', path }
  const audit = new Audit(kernel)
  await audit.record(undefined, { ...entry, status: 0 })
  await users.update({ ...caller, permissions: permissionsOf(found.role) }, found.uid, { password })
  await audit.record(undefined, { ...entry, status: 200 })
  return { email: found.email, password }
}

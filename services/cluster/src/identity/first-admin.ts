// The first start makes an admin: the one given, or one with a password made up, to be printed once.
import type { Kernel } from '@atoll/kernel/kernel'
import { addFirstUser, hasUsers } from '../resources/users/first-user.ts'
import { checkPassword, hashPassword, type PasswordCost } from './passwords.ts'

export interface FirstAdmin {
  /** Whether this start made it. */
  created: boolean
  email: string
  /** Made up now and never seen again. Absent where it was given, and on later starts. */
  password?: string
}

export class GivenAdminError extends Error {
  override readonly name = 'GivenAdminError'
}

const defaultEmail = 'admin@atoll.local'
const madeUpLength = 24

export const madeUpPassword = ({ ids }: Pick<Kernel, 'ids'>): string => ids.secret(madeUpLength)

/** `given`: `user:password` of ATOLL_CLUSTER_ADMIN. It counts at the first start only: passwords may change later. */
export async function ensureFirstAdmin(
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids'>,
  given?: string,
  passwordCost?: PasswordCost,
): Promise<FirstAdmin> {
  const made = { email: defaultEmail, password: madeUpPassword(kernel) }
  const { email, password } = given === undefined ? made : readGiven(given)
  if (await hasUsers(kernel)) return { created: false, email }
  const passwordHash = await hashPassword(password, passwordCost)
  const created = await addFirstUser(kernel, { email, name: 'Administrator', passwordHash })
  return { created, email, ...(created && given === undefined ? { password } : {}) }
}

function readGiven(given: string): { email: string; password: string } {
  const colon = given.indexOf(':')
  const email = given.slice(0, colon).toLowerCase()
  if (colon < 1 || /\s/.test(email)) throw new GivenAdminError('ATOLL_CLUSTER_ADMIN must read user:password.')
  const password = given.slice(colon + 1)
  try {
    checkPassword(password)
  } catch (error) {
    throw new GivenAdminError(`ATOLL_CLUSTER_ADMIN: ${error instanceof Error ? error.message : error}`)
  }
  return { email, password }
}

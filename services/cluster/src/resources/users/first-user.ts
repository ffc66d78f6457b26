// The first user of all, whom nobody could have made.
import type { Kernel } from '@atoll/kernel/kernel'
import { countUsers, insertUser } from './store.ts'
import { newUserRow } from './user.ts'

export const hasUsers = async ({ db }: Pick<Kernel, 'db'>): Promise<boolean> => (await countUsers(db.queries)) > 0

/** False when somebody else was quicker. */
export function addFirstUser(
  { db, clock }: Pick<Kernel, 'db' | 'clock'>,
  user: { email: string; name: string; passwordHash: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if ((await countUsers(tx)) > 0) return false
    await insertUser(tx, await newUserRow(tx, { ...user, role: 'admin', now: clock.now() }))
    return true
  })
}

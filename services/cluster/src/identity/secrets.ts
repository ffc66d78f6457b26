// Secrets that the cluster makes for itself once and keeps.
import { randomBytes } from 'node:crypto'
import type { Database } from '@atoll/kernel/db/database'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_secrets: { name: string; value: string }
  }
}

const secretBytes = 32

/** The same for every caller, also when several ask at once. */
export async function keptSecret(db: Database, name: string): Promise<Buffer> {
  const value = await db.transaction(async (tx) => {
    const row = await tx.selectFrom('cluster_secrets').select('value').where('name', '=', name).executeTakeFirst()
    if (row !== undefined) return row.value
    const made = randomBytes(secretBytes).toString('base64')
    await tx.insertInto('cluster_secrets').values({ name, value: made }).execute()
    return made
  })
  return Buffer.from(value, 'base64')
}

// Secrets that the platform makes for itself once and keeps.
import { randomBytes } from 'node:crypto'
import type { Queries, Tx } from '@atoll/kernel/db/database'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    platform_secrets: { name: string; value: string }
  }
}

const secretBytes = 32

/** The same for every caller, also when several ask at once. */
export async function keptSecret(tx: Tx, name: string): Promise<Buffer> {
  const kept = await findSecret(tx, name)
  if (kept !== undefined) return kept
  const value = randomBytes(secretBytes).toString('base64')
  await tx
    .insertInto('platform_secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const made = await findSecret(tx, name)
  if (made === undefined) throw new Error(`The secret ${name} could not be kept.`)
  return made
}

/** Undefined while nobody has needed it yet. */
export async function findSecret(queries: Queries, name: string): Promise<Buffer | undefined> {
  const row = await queries.selectFrom('platform_secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row && Buffer.from(row.value, 'base64')
}

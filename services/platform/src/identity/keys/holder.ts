// To whom something done with a key is put down, also where the key gave no right to it.
import type { Queries } from '@atoll/kernel/db/database'
import { findOldestOrganization } from '../organizations/store.ts'
import { digestOf, maxSecretLength } from './secret.ts'
import { findKeyByDigest } from './store.ts'

interface Holder {
  organizationId: string
  /** Null where the key is of nobody. */
  userId: string | null
}

/** A key of nobody is put down to the oldest organization: it is the one that runs this server. */
export async function holderOfSecret(queries: Queries, secret: string): Promise<Holder | undefined> {
  const key = secret.length > maxSecretLength ? undefined : await findKeyByDigest(queries, digestOf(secret))
  if (key?.organization_id) return { organizationId: key.organization_id, userId: key.user_id }
  const oldest = await findOldestOrganization(queries)
  return oldest && { organizationId: oldest.id, userId: key?.user_id ?? null }
}

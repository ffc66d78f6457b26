// Links that log a person in, once: whoever may read the server's data folder, or sees its first start, needs no key.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { digestOf } from '../identity/keys/secret.ts'
import { findOldestOrganization } from '../identity/organizations/store.ts'
import { findTwoOwners } from '../identity/users/store.ts'
import { deleteLinksExpiredBefore, insertLink, type LinkRow, takeLink } from './store.ts'

export const linkLifetimeSeconds = 15 * 60
const secretLetters = 48

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
}

export class LoginLinks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For the first owner of the organization that runs this server; undefined before there is one. */
  async create(): Promise<string | undefined> {
    const { db, ids, clock } = this.#parts
    const organization = await findOldestOrganization(db.queries)
    const [owner] = organization === undefined ? [] : await findTwoOwners(db.queries, organization.id)
    if (organization === undefined || owner === undefined) return undefined
    const secret = ids.secret(secretLetters)
    const now = unixSeconds(clock)
    await db.transaction(async (tx) => {
      await deleteLinksExpiredBefore(tx, now)
      await insertLink(tx, {
        digest: digestOf(secret),
        organization_id: organization.id,
        user_id: owner.user_id,
        expires_at: now + linkLifetimeSeconds,
      })
    })
    return secret
  }

  /** It is used up by this, also where the transaction's owner then refuses it. */
  async redeem(tx: Tx, secret: string): Promise<LinkRow | undefined> {
    const link = await takeLink(tx, digestOf(secret))
    return link && link.expires_at > unixSeconds(this.#parts.clock) ? link : undefined
  }
}

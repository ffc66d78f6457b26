// For whoever owns the data folder and has lost a token, or wants one to end.
import type { Tx } from '@atoll/kernel/db/database'
import type { Kernel } from '@atoll/kernel/kernel'
import { Audit } from '../admin/audit/audit.ts'
import { newToken, type TokenId } from './first-start.ts'
import { digestOf } from './sender-tokens.ts'
import { insertTokenRow, removeTokenRow } from './token-store.ts'

/** Every node then reads the tokens again. */
export const tokensChanged = 'hooks.tokens-changed'

type Parts = Pick<Kernel, 'db' | 'clock' | 'ids' | 'events'>

/** The old one, and the one of ATOLL_HOOKS_TOKEN where that was `given`, end for good. Returns the new one. */
export async function replaceToken(parts: Parts, id: TokenId, given?: string): Promise<string> {
  const { db, clock, events } = parts
  const secret = newToken(parts, id)
  const audit = new Audit(parts)
  await db.transaction(async (tx) => {
    const before = await removeTokenRow(tx, id)
    if (before !== undefined) await end(tx, before.digest, clock.now())
    if (given !== undefined) await end(tx, digestOf(given).toString('base64url'), clock.now())
    await insertTokenRow(tx, { id, digest: digestOf(secret).toString('base64url'), created_at: clock.now() })
    const entry = { address: 'this machine', method: 'REPLACE', path: `token ${id}`, status: 200, requestId: '' }
    await audit.record(tx, entry)
    await events.publish(tx, tokensChanged, null)
  })
  return secret
}

/** Kept, so that an environment that still has it cannot bring it back. */
const end = (tx: Tx, digest: string, now: number): Promise<boolean> =>
  insertTokenRow(tx, { id: endedId(digest), digest, created_at: now })

export const endedId = (digest: string): string => `ended:${digest}`

// The first start makes the tokens that nobody gave; only their digests are kept.
import type { Kernel } from '@atoll/kernel/kernel'
import { hasToken, type KeptDigests } from './access.ts'
import type { IngressConfig } from './config.ts'
import { digestOf } from './sender-tokens.ts'
import { findTokenRow, insertTokenRow } from './token-store.ts'

export interface FirstTokens {
  kept: KeptDigests
  /** Made now and never seen again. */
  made: { hookToken?: string; adminToken?: string }
}

type Parts = Pick<Kernel, 'db' | 'clock' | 'ids'>

const tokenLength = 40

export type TokenId = 'hook' | 'admin'

export const newToken = ({ ids }: Pick<Kernel, 'ids'>, id: TokenId): string => `hooks_${id}_${ids.secret(tokenLength)}`

/** Safe when several nodes start at once on one database: one of them makes it. `given`: of ATOLL_HOOKS_TOKEN. */
export async function ensureTokens(parts: Parts, config: IngressConfig, given?: string): Promise<FirstTokens> {
  const needsHook = config.enabled === undefined && !hasToken(config, given)
  const hook = await ensureToken(parts, 'hook', needsHook)
  const admin = await ensureToken(parts, 'admin', config.adminToken === undefined)
  return {
    kept: { hook: hook.digest, admin: admin.digest },
    made: {
      ...(hook.secret === undefined ? {} : { hookToken: hook.secret }),
      ...(admin.secret === undefined ? {} : { adminToken: admin.secret }),
    },
  }
}

interface Ensured {
  digest?: Buffer
  secret?: string
}

async function ensureToken(parts: Parts, id: TokenId, isNeeded: boolean): Promise<Ensured> {
  const { db, clock } = parts
  const known = await findTokenRow(db.queries, id)
  if (known !== undefined) return { digest: Buffer.from(known.digest, 'base64url') }
  if (!isNeeded) return {}
  const secret = newToken(parts, id)
  const digest = digestOf(secret)
  const row = { id, digest: digest.toString('base64url'), created_at: clock.now() }
  const isMine = await db.transaction((tx) => insertTokenRow(tx, row))
  return isMine ? { digest, secret } : ensureToken(parts, id, isNeeded)
}

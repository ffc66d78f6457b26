// Who may look after the gateway: whoever holds the admin token. No token of a hook opens this, nor this one a hook.
import { timingSafeEqual } from 'node:crypto'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Access } from '../ingress/access.ts'
import type { AuthFailures } from '../ingress/auth-failures.ts'
import { clientAddress } from '../ingress/client-address.ts'
import { digestOf } from '../ingress/sender-tokens.ts'

const bearer = /^bearer +(\S+) *$/i

export interface AdminAccess {
  /** As configured now. */
  access(): Pick<Access, 'adminDigest' | 'isTrustedProxy'>
  /** Its own: a sender that fails must not lock the operator out. */
  failures: AuthFailures
}

/** Throws 401, or 429 where an address failed too often; the right token is let in from everywhere. */
export function authenticateAdmin({ access, failures }: AdminAccess, head: RequestHead): null {
  const { adminDigest, isTrustedProxy } = access()
  const address = clientAddress(head, isTrustedProxy)
  const given = bearer.exec(head.headers.authorization ?? '')?.[1] ?? ''
  const isSame = timingSafeEqual(adminDigest, digestOf(given))
  if (isSame && given !== '') {
    failures.succeeded(address)
    return null
  }
  throw failures.failed(address)
}

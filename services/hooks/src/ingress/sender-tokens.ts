// The tokens that open hooks. Only digests are kept, all of one length; every one of them is compared, always.
import { hash, timingSafeEqual } from 'node:crypto'
import type { SignatureConfig } from './signatures/schema.ts'

export interface SenderToken {
  /** Stands in logs and records in the token's place. */
  id: string
  digest: Buffer
  /** Ids of mappings; absent: it opens every hook. */
  mappings?: ReadonlySet<string> | undefined
  signature?: SignatureConfig | undefined
  /** Its recipients become where `last` leads. */
  setsRoute?: boolean
}

export const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** The time it takes tells neither which one fits, nor where one differs, nor how long one is. */
export function findToken(
  tokens: readonly SenderToken[],
  given: string | undefined,
  isEqual: typeof timingSafeEqual = timingSafeEqual,
): SenderToken | undefined {
  const digest = digestOf(given ?? '')
  let found: SenderToken | undefined
  for (const token of tokens) {
    const isSame = isEqual(token.digest, digest)
    found = isSame ? token : found
  }
  return given === undefined || given === '' ? undefined : found
}

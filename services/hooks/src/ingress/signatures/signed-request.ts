// What a signature is about, and what came of looking at it.
import type { SignatureConfig } from './schema.ts'

export interface SignedRequest {
  /** Lower case. */
  headers: Record<string, string | undefined>
  /** As the bytes came: to write JSON again would change them. */
  body: Buffer
  payload: Record<string, unknown>
  /** Seconds since the epoch. */
  now: number
}

export interface Proof {
  /** Made from what was signed: the same again is a replay. Absent where the operator allows the same body again. */
  nonce?: string
  /** The nonce is what the sender calls the event: sent again, its body may differ. */
  isEvent?: true
  /** What the sender calls the delivery. */
  key?: string
}

/** Undefined: not signed by any of the secrets, or not in time. */
export type Verify = (request: SignedRequest, config: SignatureConfig) => Proof | undefined

/** Whole seconds, near enough to now. */
export function isTimely(
  text: string | undefined,
  request: SignedRequest,
  { toleranceSeconds }: SignatureConfig,
): boolean {
  if (text === undefined || !/^\d{1,12}$/.test(text)) return false
  return Math.abs(request.now - Number(text)) <= toleranceSeconds
}

export const textIn = (payload: Record<string, unknown>, field: string): string | undefined => {
  const value = Object.hasOwn(payload, field) ? payload[field] : undefined
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : undefined
}

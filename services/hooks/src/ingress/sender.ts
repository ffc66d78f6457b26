// Who sent a request, by its token or by its signature.
import type { IncomingHttpHeaders } from 'node:http'
import type { FoundMapping } from '../ports.ts'
import type { SenderToken } from './sender-tokens.ts'
import type { SignatureConfig } from './signatures/schema.ts'
import { schemes } from './signatures/schemes.ts'
import type { Proof } from './signatures/signed-request.ts'

export interface Sender extends Proof {
  /** Stands in records. */
  id: string
  /** The header with the signature. */
  signedBy?: string
  setsRoute?: boolean
}

export interface Evidence {
  headers: IncomingHttpHeaders
  body: Buffer
  payload: Record<string, unknown>
  /** Seconds since the epoch. */
  now: number
  token: SenderToken | undefined
  mapping: FoundMapping | undefined
  isDirect: boolean
}

/** Where a mapping has a signature, that decides alone: its senders cannot send a token. Undefined: nobody we know. */
export function authenticateSender(evidence: Evidence): Sender | undefined {
  const { token, mapping, isDirect } = evidence
  if (mapping?.signature !== undefined) {
    const proof = verify(evidence, mapping.signature)
    return proof && { id: `signature:${mapping.id}`, signedBy: mapping.signature.header, ...proof }
  }
  if (token === undefined) return undefined
  if (token.mappings !== undefined && (isDirect || mapping === undefined || !token.mappings.has(mapping.id))) {
    return undefined
  }
  const known = { id: token.id, ...(token.setsRoute ? { setsRoute: true } : {}) }
  if (token.signature === undefined) return known
  const proof = verify(evidence, token.signature)
  return proof && { ...known, signedBy: token.signature.header, ...proof }
}

export const verify = ({ headers, body, payload, now }: Evidence, config: SignatureConfig): Proof | undefined =>
  schemes[config.scheme]({ headers: headers as Record<string, string | undefined>, body, payload, now }, config)

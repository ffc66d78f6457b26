// Senders that try an address before they use it. Whoever signs for any mapping of the path is answered; nothing is kept.
import type { HookAnswer } from '../ports.ts'
import { type Evidence, verify } from './sender.ts'
import type { SignatureConfig } from './signatures/schema.ts'
import { textIn } from './signatures/signed-request.ts'

/** Undefined: it is no such question, or not signed. */
export function handshakeAnswer(evidence: Evidence, signatures: readonly SignatureConfig[]): HookAnswer | undefined {
  const isSigned = (scheme: SignatureConfig['scheme']): boolean =>
    isSignedByAny(
      evidence,
      signatures.filter((each) => each.scheme === scheme),
    )
  const { payload, headers, mapping } = evidence
  const challenge = textIn(payload, 'type') === 'url_verification' ? textIn(payload, 'challenge') : undefined
  if (challenge !== undefined && isSigned('slack')) return { status: 200, body: { challenge } }
  // Of the address of a command, every now and then: whether its certificate is good.
  if (textIn(payload, 'ssl_check') === '1' && isSigned('slack')) return { status: 200 }
  // Mappings that match on the event are for others; a ping is nobody's.
  const isPing = mapping === undefined && headers['x-github-event'] === 'ping'
  return isPing && isSigned('github') ? { status: 204 } : undefined
}

/** A sender we know, with something that no mapping is for: it hears 404, and that counts as no failure. */
export const isSignedForNone = (evidence: Evidence, signatures: readonly SignatureConfig[]): boolean =>
  evidence.mapping === undefined && isSignedByAny(evidence, signatures)

const isSignedByAny = (evidence: Evidence, signatures: readonly SignatureConfig[]): boolean =>
  signatures.some((each) => verify(evidence, each) !== undefined)

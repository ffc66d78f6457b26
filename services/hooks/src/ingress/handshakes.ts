// Senders that try an address before they use it. Whoever signs for any mapping of the path is answered; nothing is kept.
import type { HookAnswer } from '../ports.ts'
import { type Evidence, verify } from './sender.ts'
import type { SignatureConfig } from './signatures/schema.ts'
import { textIn } from './signatures/signed-request.ts'

/** Undefined: it is no such question, or not signed. */
export function handshakeAnswer(evidence: Evidence, signatures: readonly SignatureConfig[]): HookAnswer | undefined {
  const isSigned = (scheme: SignatureConfig['scheme']): boolean =>
    signatures.some((each) => each.scheme === scheme && verify(evidence, each) !== undefined)
  const { payload, headers, mapping } = evidence
  const challenge = textIn(payload, 'type') === 'url_verification' ? textIn(payload, 'challenge') : undefined
  if (challenge !== undefined && isSigned('slack')) return { status: 200, body: { challenge } }
  // Mappings that match on the event are for others; a ping is nobody's.
  const isPing = mapping === undefined && headers['x-github-event'] === 'ping'
  return isPing && isSigned('github') ? { status: 204 } : undefined
}

// How a sender proves that a request is its own: set on a mapping, or on a token.
import { z } from 'zod'

const Secret = z.string().min(8).max(1_000).meta({ expects: 'a secret of 8 to 1,000 characters', secret: true })

export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/)
  .transform((name) => name.toLowerCase())
  .meta({ expects: 'the name of a header' })

const signatureSchemes = ['standard-webhooks', 'github', 'stripe', 'slack', 'hmac'] as const

const Signature = z.strictObject({
  scheme: z.enum(signatureSchemes).meta({ expects: `one of: ${signatureSchemes.join(', ')}` }),
  /** Any of them may have signed: a new one is added before the old one goes. */
  secrets: z.array(Secret).min(1).max(10).meta({ expects: 'a list of secrets, for standard-webhooks in base64' }),
  /** How old, or how far in the future, a signed time may be. */
  toleranceSeconds: z.int().min(1).max(86_400).default(300),
  /**
   * Where no time is signed (`github`, `hmac` without `timestampHeader`), a body that came before counts as a replay.
   * True: for senders whose bodies are always the same; then a request that was overheard can be sent again.
   */
  allowSameBody: z.boolean().default(false),
  /** The rest is for `hmac` only. */
  header: HeaderName.default('x-signature'),
  algorithm: z.enum(['sha1', 'sha256', 'sha384', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  /** Before the signature in its header: `sha256=`. */
  prefix: z.string().max(50).default(''),
  /** Where the signed time is, in seconds; `<time>.<body>` is signed then. Absent: the body alone. */
  timestampHeader: HeaderName.optional(),
  /** Where the sender names the delivery: the same name again is the same delivery. */
  idHeader: HeaderName.optional(),
})

const isBase64 = (secret: string): boolean => /^(?:whsec_)?[A-Za-z0-9+/]{8,}={0,2}$/.test(secret)

export const SignatureConfig = Signature.refine(
  ({ scheme, secrets }) => scheme !== 'standard-webhooks' || secrets.every(isBase64),
  { path: ['secrets'] },
)

export type SignatureConfig = z.output<typeof SignatureConfig>

// What an invited person shows to join: the invite's id and the end of its life, signed.
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface TokenContent {
  inviteId: string
  /** Unix seconds. */
  expiresAt: number
}

export const maxTokenLength = 256

const form = /^(invite-[0-9A-Za-z]{24})\.(\d{1,12})\.([\w-]{43})$/

const signature = (secret: Buffer, { inviteId, expiresAt }: TokenContent): Buffer =>
  createHmac('sha256', secret).update(`invite ${inviteId} ${expiresAt}`).digest()

export const signToken = (secret: Buffer, content: TokenContent): string =>
  `${content.inviteId}.${content.expiresAt}.${signature(secret, content).toString('base64url')}`

/** Undefined when it was not signed here. Says nothing of whether the invite still is. */
export function readToken(secret: Buffer, token: string): TokenContent | undefined {
  const [, inviteId, expiresAt, signed] = (token.length <= maxTokenLength && form.exec(token)) || []
  if (inviteId === undefined || expiresAt === undefined || signed === undefined) return undefined
  const content = { inviteId, expiresAt: Number(expiresAt) }
  const given = Buffer.from(signed, 'base64url')
  const expected = signature(secret, content)
  return given.length === expected.length && timingSafeEqual(given, expected) ? content : undefined
}

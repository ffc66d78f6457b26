// Tokens that stand for a log-in for a while: JWT, signed with HMAC-SHA-256 by a secret of the cluster's own.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import * as errors from '../errors.ts'

const maxTokenLength = 4096

const Claims = z.object({
  sub: z.string().regex(/^\d{1,15}$/),
  iat: z.number(),
  exp: z.number(),
  /** Of the password at the log-in: a new password ends all tokens. */
  pwd: z.string(),
})
type Claims = z.output<typeof Claims>

const Header = z.object({ alg: z.literal('HS256'), typ: z.literal('JWT').optional() })

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const passwordMark = (passwordHash: string): string =>
  createHash('sha256').update(passwordHash).digest('base64url').slice(0, 22)

export class Tokens {
  readonly #secret: Buffer
  readonly #now: () => number

  constructor(secret: Buffer, now: () => number) {
    this.#secret = secret
    this.#now = now
  }

  issue(user: { uid: number; passwordHash: string }, ttlSeconds: number): string {
    const iat = Math.floor(this.#now() / 1000)
    const claims: Claims = {
      sub: String(user.uid),
      iat,
      exp: iat + ttlSeconds,
      pwd: passwordMark(user.passwordHash),
    }
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
    return `${signed}.${this.#sign(signed).toString('base64url')}`
  }

  /** Throws unless this cluster signed it and it still holds. */
  read(token: string): Claims {
    const parts = token.split('.')
    const [header = '', claims = '', signature = ''] = parts
    if (parts.length !== 3 || token.length > maxTokenLength) throw errors.badToken('it is none')
    const given = Buffer.from(signature, 'base64url')
    const expected = this.#sign(`${header}.${claims}`)
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    if (!isSigned || !Header.safeParse(decode(header)).success) throw errors.badToken('its signature is wrong')
    const read = Claims.safeParse(decode(claims))
    if (!read.success) throw errors.badToken('its claims cannot be read')
    if (read.data.exp * 1000 <= this.#now()) throw errors.badToken('it has expired')
    return read.data
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(text).digest()
  }
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

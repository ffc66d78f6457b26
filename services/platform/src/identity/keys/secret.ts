// The secret of a key: how it is made, what is kept of it (a digest) and what may be shown of it (a hint).
import { hash, timingSafeEqual } from 'node:crypto'
import type { Ids } from '@atoll/kernel/ids/ids'

export type KeyKind = 'project' | 'user' | 'service_account' | 'admin'

export const maxSecretLength = 512

const prefixes: Record<KeyKind, string> = {
  project: 'sk-proj-',
  user: 'sk-',
  service_account: 'sk-svcacct-',
  admin: 'sk-admin-',
}
/** 285 random bits: a plain digest is as good as a slow one. */
const secretLetters = 48
/** Of a shorter text, four letters would tell too much. */
const hintedAbove = 12
const knownPrefix = /^sk-(?:proj-|svcacct-|admin-)?/
const unprintable = /[^\x21-\x7e]/g

export const newSecret = (ids: Ids, kind: KeyKind): string => prefixes[kind] + ids.secret(secretLetters)

export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Takes the same time wherever two digests differ. */
export function sameDigest(one: string, other: string): boolean {
  const a = Buffer.from(one)
  const b = Buffer.from(other)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** `sk-proj-ab***yz`: enough to recognize a key, useless to guess it. Holds for anything a caller may send. */
export function redact(secret: string): string {
  const prefix = knownPrefix.exec(secret)?.[0] ?? ''
  const rest = secret.slice(prefix.length)
  if (rest.length <= hintedAbove) return `${prefix}***`
  return `${prefix}${rest.slice(0, 2)}***${rest.slice(-2)}`.replace(unprintable, '?')
}

// What a request says about its caller, before anything is believed.
import type { IncomingHttpHeaders } from 'node:http'
import { maxSecretLength, redact } from './keys/secret.ts'
import { problems } from './problems.ts'

export interface Credentials {
  secret: string
  /** As the headers ask; undefined when they do not. */
  organization: string | undefined
  project: string | undefined
}

const scheme = /^(bearer|basic)(?: +(.*))?$/i
const base64 = /^[\w+/-]+={0,2}$/

export function readCredentials(headers: IncomingHttpHeaders): Credentials {
  const secret = readSecret(headers.authorization)
  if (secret.length > maxSecretLength) throw problems.badKey(redact(secret))
  return { secret, ...readScope(headers) }
}

/** What the headers ask for beside the key. */
export function readScope(headers: IncomingHttpHeaders): Omit<Credentials, 'secret'> {
  const organization = oneOf(headers['openai-organization'], headers['vendor-organization'])
  if (organization === conflict) throw problems.mismatchedOrganization()
  const project = oneOf(headers['openai-project'], headers['vendor-project'])
  if (project === conflict) throw problems.mismatchedProject()
  return { organization, project }
}

function readSecret(authorization: string | undefined): string {
  if (!authorization) throw problems.noKey()
  // Nearly every request: worth skipping the expression.
  if (authorization.startsWith('Bearer ')) {
    const secret = authorization.slice('Bearer '.length).trim()
    if (secret !== '') return secret
  }
  const parts = scheme.exec(authorization)
  if (!parts) throw problems.badKey(redact(authorization))
  const value = parts[2]?.trim() ?? ''
  const secret = parts[1]?.toLowerCase() === 'basic' ? basicPassword(value) : value
  if (secret === '') throw problems.noKey()
  return secret
}

/** The key is the password; the user name may be anything. */
function basicPassword(value: string): string {
  if (value === '') return ''
  const text = base64.test(value) ? Buffer.from(value, 'base64').toString() : ''
  const colon = text.indexOf(':')
  if (colon < 0) throw problems.badKey(redact(value))
  return text.slice(colon + 1)
}

const conflict = Symbol('two different values')

/** The two spellings of one header: either, or both with the same value. Empty counts as not sent. */
function oneOf(
  one: string | string[] | undefined,
  other: string | string[] | undefined,
): string | undefined | typeof conflict {
  const first = one === undefined ? undefined : String(one) || undefined
  const second = other === undefined ? undefined : String(other) || undefined
  if (first === undefined) return second
  return second === undefined || second === first ? first : conflict
}

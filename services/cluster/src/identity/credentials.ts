// What a request says about its caller, before anything is believed.
import type { IncomingHttpHeaders } from 'node:http'
import * as errors from '../errors.ts'

export interface PasswordLogin {
  email: string
  password: string
}

export type Credentials = ({ kind: 'password' } & PasswordLogin) | { kind: 'token'; token: string }

const scheme = /^(basic|jwt|bearer) +(\S+) *$/i
const base64 = /^[\w+/-]+={0,2}$/
/** No password that the cluster takes is longer, and hashing what is costs time. */
const maxHeaderLength = 8192

export function readCredentials({ authorization }: IncomingHttpHeaders): Credentials {
  if (authorization === undefined || authorization.trim() === '') throw errors.noCredentials()
  const [, kind = '', value = ''] = scheme.exec(authorization) ?? []
  if (kind === '' || authorization.length > maxHeaderLength) throw errors.unreadableCredentials()
  if (kind.toLowerCase() !== 'basic') return { kind: 'token', token: value }
  const text = base64.test(value) ? Buffer.from(value, 'base64').toString() : ''
  const colon = text.indexOf(':')
  if (colon < 0) throw errors.unreadableCredentials()
  return { kind: 'password', email: text.slice(0, colon), password: text.slice(colon + 1) }
}

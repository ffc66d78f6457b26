// The cookie that holds the token of a session: unseen by scripts, sent to this server alone.
import type { RequestHead } from '@atoll/kernel/http/route'

const name = 'atoll_session'
const token = /^[0-9A-Za-z]{48}$/

export function readToken(headers: RequestHead['headers']): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name && token.test(value)) return value
  }
  return undefined
}

const attributes = (isEncrypted: boolean): string => `Path=/; HttpOnly; SameSite=Strict${isEncrypted ? '; Secure' : ''}`

export const sessionCookie = (value: string, maxAgeSeconds: number, isEncrypted: boolean): string =>
  `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes(isEncrypted)}`

export const endedCookie = (isEncrypted: boolean): string => `${name}=; Max-Age=0; ${attributes(isEncrypted)}`

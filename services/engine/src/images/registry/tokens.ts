// Bearer tokens: got from the server a challenge names, kept until they expire.
import type { Clock } from '@atoll/kernel/clock/clock'
import { z } from 'zod'
import type { RegistryAuth } from '../image-registry.ts'
import type { Challenge } from './challenge.ts'
import { isLoopback } from './endpoints.ts'
import { nonsense, refusal } from './failure.ts'
import type { Wire, WireRequest } from './wire.ts'

const maxTokenAnswerBytes = 1024 * 1024
const clientId = 'docker'
const shortestLifeSeconds = 60
/** A token is not used in its last moments: it would expire on the way. */
const marginSeconds = 10

const TokenAnswer = z.object({
  token: z.string().optional(),
  access_token: z.string().optional(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
})

interface Token {
  value: string
  expiresAt: number
}

interface TokenOptions {
  wire: Wire
  clock: Clock
  auth: RegistryAuth | undefined
  /** The registry itself is reached by plain HTTP or unchecked; then so may its token server be. */
  isInsecure: boolean
  /** Ask for an identity token, which stands for the password from then on. */
  wantsIdentity?: boolean
}

export class Tokens {
  readonly #options: TokenOptions
  readonly #kept = new Map<string, Promise<Token>>()
  /** What the server gave in place of the password. */
  identityToken: string | undefined

  constructor(options: TokenOptions) {
    this.#options = options
  }

  async get(challenge: Challenge, scopes: readonly string[], signal: AbortSignal): Promise<string> {
    const name = scopes.join(' ')
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      const token = await kept.catch(() => undefined)
      if (token !== undefined && token.expiresAt > this.#options.clock.now()) return token.value
    }
    const fresh = this.#fetch(challenge, scopes, signal)
    this.#kept.set(name, fresh)
    return (await fresh).value
  }

  /** A registry did not take them. */
  forget(): void {
    this.#kept.clear()
  }

  async #fetch(challenge: Challenge, scopes: readonly string[], signal: AbortSignal): Promise<Token> {
    const { wire, clock, auth } = this.#options
    const realm = this.#realm(challenge)
    const service = challenge.parameters.service ?? ''
    const secret = auth?.identitytoken
    const request =
      secret === undefined ? this.#byPassword(realm, service, scopes) : byIdentity(realm, service, scopes, secret)
    const { isInsecure } = this.#options
    const answer = await wire.sendSmall({ ...request, isInsecure, signal }, maxTokenAnswerBytes)
    if (answer.status >= 400) throw refusal(answer.status, answer.bytes)
    const told = TokenAnswer.safeParse(readJson(answer.bytes))
    const value = told.data?.token || told.data?.access_token
    if (!told.success || value === undefined || value === '') {
      throw nonsense(`authorization server ${realm.origin} did not include a token in the response`)
    }
    this.identityToken = told.data.refresh_token ?? this.identityToken
    const lifeSeconds = Math.max(told.data.expires_in ?? shortestLifeSeconds, shortestLifeSeconds)
    return { value, expiresAt: clock.now() + (lifeSeconds - marginSeconds) * 1000 }
  }

  #realm({ parameters }: Challenge): URL {
    const text = parameters.realm ?? ''
    const realm = URL.canParse(text) ? new URL(text) : undefined
    if (realm === undefined || !/^https?:$/.test(realm.protocol)) {
      throw nonsense(`the registry names no server for tokens: realm "${text.slice(0, 200)}"`)
    }
    const isOpen = realm.protocol === 'http:' && !isLoopback(realm.host) && !this.#options.isInsecure
    if (isOpen && this.#options.auth !== undefined) {
      throw nonsense(`credentials are not sent in the open to the token server ${realm.origin}`)
    }
    return realm
  }

  #byPassword(realm: URL, service: string, scopes: readonly string[]): Pick<WireRequest, 'method' | 'url' | 'headers'> {
    const { auth, wantsIdentity } = this.#options
    const url = new URL(realm)
    if (service !== '') url.searchParams.set('service', service)
    for (const scope of scopes) url.searchParams.append('scope', scope)
    if (wantsIdentity) {
      url.searchParams.set('offline_token', 'true')
      url.searchParams.set('client_id', clientId)
    }
    if (!auth?.username || !auth.password) return { method: 'GET', url }
    url.searchParams.set('account', auth.username)
    return { method: 'GET', url, headers: { authorization: basic(auth.username, auth.password) } }
  }
}

function byIdentity(
  realm: URL,
  service: string,
  scopes: readonly string[],
  secret: string,
): Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: secret,
    client_id: clientId,
    ...(service !== '' && { service }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  })
  return {
    method: 'POST',
    url: realm,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
  }
}

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

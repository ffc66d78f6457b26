// The way in: who sends, what they want, and the answer once it is kept.
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '@atoll/kernel/clock/clock'
import { HttpError } from '@atoll/kernel/http/error'
import type { Exchange } from '@atoll/kernel/http/route'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Action } from '../actions.ts'
import type { Acceptance, Accepted, NewDelivery } from '../deliveries/acceptance.ts'
import * as errors from '../errors.ts'
import { ActionProblem, type AgentRuntime, type FoundMapping, MappingProblem, type Mappings } from '../ports.ts'
import type { Access } from './access.ts'
import type { AuthFailures } from './auth-failures.ts'
import { type BodyLimits, parsePayload, readHookBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { readCredential } from './credentials.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { keptHeaders } from './kept-headers.ts'
import { agentAction, wakeAction } from './normalise.ts'
import { authenticateSender, type Sender } from './sender.ts'
import { findToken } from './sender-tokens.ts'

export type HookExchange = Exchange<null, unknown, Record<string, unknown>, Readable>

export interface IngressParts {
  clock: Clock
  log: Log
  acceptance: Acceptance
  mappings: Mappings
  runtime: Pick<AgentRuntime, 'check'>
  failures: AuthFailures
  guard: { readonly access: Access }
  limits: BodyLimits
}

interface Asked {
  path: string
  payload: Record<string, unknown>
  body: Buffer
  mapping: FoundMapping | undefined
}

/** `wake` and `agent` are the gateway's own; every other name is a mapping's. */
const isDirect = (path: string): path is 'wake' | 'agent' => path === 'wake' || path === 'agent'

export class Ingress {
  readonly #parts: IngressParts

  constructor(parts: IngressParts) {
    this.#parts = parts
  }

  set limits(limits: BodyLimits) {
    this.#parts.limits = limits
  }

  /** Nothing of the body is read before the sender is known, but where a signature of the body is what proves it. */
  async receive(exchange: HookExchange, path: string): Promise<Accepted> {
    const { failures, mappings, limits } = this.#parts
    const { access } = this.#parts.guard
    const address = clientAddress(exchange, access.isTrustedProxy)
    failures.refuse(address)
    const credential = readCredential(exchange.headers, exchange.query, access.mayQuery)
    const token = findToken(access.tokens, credential?.token)
    const isSigned = !isDirect(path) && mappings.isSigned(path, exchange.headers)
    if (token === undefined && !isSigned) throw this.#refused(address)
    if (token !== undefined && credential?.isInQuery) this.#warnOfQuery(exchange, token.id)
    const body = await readHookBody(exchange, limits)
    const { payload, problem } = await readPayload(body)
    const mapping = isDirect(path) ? undefined : mappings.find(path, payload)
    const asked = { path, payload, body, mapping }
    const now = Math.floor(this.#parts.clock.now() / 1000)
    const sender = authenticateSender({ ...asked, headers: exchange.headers, now, token, isDirect: isDirect(path) })
    if (sender === undefined) throw this.#refused(address)
    failures.succeeded(address)
    if (!isDirect(path) && mapping === undefined) throw errors.noSuchHook()
    if (problem !== undefined) throw problem
    return this.#accept(exchange, asked, sender)
  }

  async #accept(exchange: HookExchange, asked: Asked, sender: Sender): Promise<Accepted> {
    const { path, payload, body, mapping } = asked
    const headers = keptHeaders(exchange.headers, sender.signedBy)
    const key = sender.key ?? idempotencyKey(exchange.headers, payload)
    const wanted = await this.#action(asked, headers, exchange.query)
    const action = sender.setsRoute && wanted?.kind === 'agent' ? { ...wanted, setsRoute: true as const } : wanted
    const delivery: NewDelivery = {
      ...{ path, headers, action, key },
      sender: sender.id,
      trust: 'external',
      nonce: sender.nonce,
      mapping: mapping?.id,
      body: mapping === undefined ? undefined : body.toString('utf8'),
      fingerprint: hash('sha256', body, 'base64url'),
    }
    return this.#parts.acceptance.accept(delivery)
  }

  async #action(asked: Asked, headers: Record<string, string>, query: Record<string, unknown>): Promise<Action | null> {
    const { path, payload, mapping } = asked
    try {
      const action =
        mapping === undefined
          ? path === 'wake'
            ? wakeAction(payload)
            : agentAction(payload)
          : await this.#parts.mappings.resolve(mapping.id, { path, payload, headers, query: plainQuery(query) })
      if (action?.kind === 'agent') this.#parts.runtime.check(action)
      return action
    } catch (error) {
      if (error instanceof ActionProblem || error instanceof MappingProblem) throw errors.invalidBody(error.message)
      if (mapping === undefined || error instanceof HttpError) throw error
      this.#parts.log.error({ err: error, mapping: mapping.id }, 'A mapping failed.')
      throw errors.mappingFailed()
    }
  }

  #refused(address: string): Error {
    this.#parts.failures.add(address)
    return errors.unauthorized()
  }

  /** HOOK-022 to HOOK-024. */
  #warnOfQuery(exchange: HookExchange, sender: string): void {
    exchange.setHeader('deprecation', queryTokenDeprecated)
    exchange.log.warn(
      { sender, path: exchange.path },
      'A hook token came in the query, which is deprecated: send "Authorization: Bearer" instead.',
    )
  }
}

/** 1 January 2026. */
const queryTokenDeprecated = '@1767225600'

/** What is wrong with a body is told to those who may send one. */
async function readPayload(body: Buffer): Promise<{ payload: Record<string, unknown>; problem?: unknown }> {
  try {
    return { payload: await parsePayload(body) }
  } catch (problem) {
    return { payload: {}, problem }
  }
}

/** Without the token; of what came several times, the first. */
function plainQuery(query: Record<string, unknown>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    const first = Array.isArray(value) ? value[0] : value
    if (name !== 'token' && name !== '__proto__' && typeof first === 'string') plain[name] = first
  }
  return plain
}

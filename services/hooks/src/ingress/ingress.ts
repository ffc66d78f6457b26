// The way in: who sends, what they want, and the answer once it is kept.
import type { Readable } from 'node:stream'
import type { Clock } from '@atoll/kernel/clock/clock'
import { HttpError } from '@atoll/kernel/http/error'
import type { Exchange } from '@atoll/kernel/http/route'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Acceptance, Accepted, NewDelivery } from '../deliveries/acceptance.ts'
import * as errors from '../errors.ts'
import {
  ActionProblem,
  type AgentRuntime,
  type FoundMapping,
  type HookAnswer,
  MappingProblem,
  type Mappings,
  type Resolved,
} from '../ports.ts'
import type { Access } from './access.ts'
import type { AuthFailures } from './auth-failures.ts'
import { type BodyLimits, parseMappedPayload, parsePayload, readHookBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { readCredential } from './credentials.ts'
import { deliveryIdentity } from './delivery-identity.ts'
import { handshakeAnswer, isSignedForNone } from './handshakes.ts'
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
  /** Why the body cannot be read. */
  problem?: unknown
}

export interface Received {
  /** Absent where a sender only tried the address. */
  accepted?: Accepted
  /** In place of the usual one. */
  answer?: HookAnswer
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
  async receive(exchange: HookExchange, path: string): Promise<Received> {
    const { failures, mappings, limits } = this.#parts
    const { access } = this.#parts.guard
    const address = clientAddress(exchange, access.isTrustedProxy)
    const credential = readCredential(exchange.headers, exchange.query, access.mayQuery)
    const token = findToken(access.tokens, credential?.token)
    const signatures = isDirect(path) || path === '' ? [] : mappings.signatures(path, exchange.headers)
    if (token === undefined && signatures.length === 0) throw failures.failed(address)
    if (token !== undefined && credential?.isInQuery) this.#warnOfQuery(exchange, token.id)
    if (path === '') throw errors.noSuchHook()
    const body = await readHookBody(exchange, limits)
    const asked = await this.#read(exchange, path, body)
    const evidence = { ...asked, headers: exchange.headers, now: this.#nowSeconds(), token, isDirect: isDirect(path) }
    const answer = handshakeAnswer(evidence, signatures)
    if (answer !== undefined) return { answer }
    const sender = authenticateSender(evidence)
    if (sender === undefined && !isSignedForNone(evidence, signatures)) throw failures.failed(address)
    failures.succeeded(address)
    if (sender === undefined || (!isDirect(path) && asked.mapping === undefined)) throw errors.noSuchHook()
    if (asked.problem !== undefined) throw asked.problem
    return this.#accept(exchange, asked, sender)
  }

  async #read({ headers }: HookExchange, path: string, body: Buffer): Promise<Asked> {
    const parsing = isDirect(path) ? parsePayload(body) : parseMappedPayload(body, headers['content-type'])
    // What is wrong with a body is told to those who may send one.
    const { payload, problem } = await parsing.then(read, unreadable)
    const mapping = isDirect(path) ? undefined : this.#parts.mappings.find({ path, payload, headers })
    return { path, payload, body, mapping, problem }
  }

  async #accept(exchange: HookExchange, asked: Asked, sender: Sender): Promise<Received> {
    const { path, body, mapping } = asked
    const headers = keptHeaders(exchange.headers, sender.signedBy)
    const { action: wanted, answer } = await this.#action(asked, headers, exchange.query)
    const action = sender.setsRoute && wanted?.kind === 'agent' ? { ...wanted, setsRoute: true as const } : wanted
    const delivery: NewDelivery = {
      ...{ path, headers, action },
      ...deliveryIdentity(exchange.headers, asked, sender),
      sender: sender.id,
      trust: 'external',
      mapping: mapping?.id,
      body: mapping === undefined ? undefined : body.toString('utf8'),
    }
    return { accepted: await this.#parts.acceptance.accept(delivery), ...(answer ? { answer } : {}) }
  }

  async #action(asked: Asked, headers: Record<string, string>, query: Record<string, unknown>): Promise<Resolved> {
    const { path, payload, mapping } = asked
    try {
      const resolved =
        mapping === undefined
          ? { action: path === 'wake' ? wakeAction(payload) : agentAction(payload) }
          : await this.#parts.mappings.resolve(mapping.id, { path, payload, headers, query: plainQuery(query) })
      if (resolved.action?.kind === 'agent') this.#parts.runtime.check(resolved.action)
      return resolved
    } catch (error) {
      if (error instanceof ActionProblem || error instanceof MappingProblem) throw errors.invalidBody(error.message)
      if (mapping === undefined || error instanceof HttpError) throw error
      this.#parts.log.error({ err: error, mapping: mapping.id }, 'A mapping failed.')
      throw errors.mappingFailed()
    }
  }

  #nowSeconds(): number {
    return Math.floor(this.#parts.clock.now() / 1000)
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

type Payload = Record<string, unknown>
const read = (payload: Payload): Pick<Asked, 'payload' | 'problem'> => ({ payload })
const unreadable = (problem: unknown): Pick<Asked, 'payload' | 'problem'> => ({ payload: {}, problem })

/** Without the token; of what came several times, the first. */
function plainQuery(query: Record<string, unknown>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    const first = Array.isArray(value) ? value[0] : value
    if (name !== 'token' && name !== '__proto__' && typeof first === 'string') plain[name] = first
  }
  return plain
}

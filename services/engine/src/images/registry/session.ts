// One conversation with one registry: found, asked what it wants to see, and shown it with every request.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { RegistryAuth } from '../image-registry.ts'
import { type Challenge, readChallenges } from './challenge.ts'
import type { Endpoint } from './endpoints.ts'
import { RegistryProblem, refusal } from './failure.ts'
import { basic, Tokens } from './tokens.ts'
import type { Wire, WireAnswer, WireRequest } from './wire.ts'

const maxRefusalBytes = 64 * 1024
const triesOfSmallRequests = 3

export interface SessionOptions {
  wire: Wire
  clock: Clock
  endpoint: Endpoint
  auth: RegistryAuth | undefined
  /** What it is for: `repository:library/x:pull`. */
  scopes: readonly string[]
  wantsIdentity?: boolean
}

interface SessionRequest extends Pick<WireRequest, 'method' | 'headers' | 'idleMs' | 'signal'> {
  /** A path (`/v2/…`) or a whole address the registry gave. */
  to: string | URL
  /** Made anew for another try. */
  body?: () => NonNullable<WireRequest['body']>
  /** Beyond those of the session. */
  scopes?: readonly string[]
}

export class RegistrySession {
  readonly endpoint: Endpoint
  readonly #options: SessionOptions
  readonly #tokens: Tokens
  #challenges: Challenge[]

  private constructor(options: SessionOptions, challenges: Challenge[]) {
    this.endpoint = options.endpoint
    this.#options = options
    this.#challenges = challenges
    const { wire, clock, auth, wantsIdentity = false } = options
    this.#tokens = new Tokens({ wire, clock, auth, wantsIdentity, isInsecure: options.endpoint.isInsecure })
  }

  /** Throws when nothing answers there. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<RegistrySession> {
    const { wire, endpoint } = options
    const url = new URL(`${endpoint.base}/v2/`)
    const answer = await wire.sendSmall(
      { method: 'GET', url, isInsecure: endpoint.isInsecure, signal },
      maxRefusalBytes,
    )
    const auth = endpoint.isMirror ? undefined : options.auth
    if (answer.status === 401) return new RegistrySession({ ...options, auth }, readChallenges(answer.headers))
    if (answer.status >= 400) throw refusal(answer.status, answer.bytes)
    return new RegistrySession({ ...options, auth }, [])
  }

  get identityToken(): string | undefined {
    return this.#tokens.identityToken
  }

  get wire(): Wire {
    return this.#options.wire
  }

  /** An answer below 400, its body unread; what the registry refuses is thrown. */
  async send(request: SessionRequest): Promise<WireAnswer> {
    const answer = await this.sendRaw(request)
    if (answer.status < 400) return answer
    throw await this.refusalOf(answer)
  }

  /** For what is small: tried again when the connection broke or the registry is busy. */
  async sendSmall(request: SessionRequest, maxBytes: number): Promise<WireAnswer & { bytes: Buffer }> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.sendAnyhow(request, maxBytes)
        if (answer.status >= 400) throw refusal(answer.status, answer.bytes, readChallenges(answer.headers))
        return answer
      } catch (problem) {
        const isPassing = problem instanceof RegistryProblem && problem.isPassing && !problem.wasSilent
        if (!isPassing || tries === triesOfSmallRequests) throw problem
        await sleep(this.wire.patience.backoffMs * tries, undefined, { signal: request.signal })
      }
    }
  }

  /** For what is small, whatever the answer is. */
  sendAnyhow(request: SessionRequest, maxBytes: number): Promise<WireAnswer & { bytes: Buffer }> {
    return this.#authorized(request, (ready) => this.wire.sendSmall(ready, maxBytes))
  }

  /** Whatever the answer is. */
  sendRaw(request: SessionRequest): Promise<WireAnswer> {
    return this.#authorized(request, (ready) => this.wire.send(ready))
  }

  /** A token may have been taken back or be for too little: one more try with a new one. */
  async #authorized<A extends WireAnswer>(
    request: SessionRequest,
    send: (ready: WireRequest) => Promise<A>,
  ): Promise<A> {
    const first = await send(await this.#ready(request))
    if (first.status !== 401 || this.#options.auth?.registrytoken !== undefined) return first
    const challenges = readChallenges(first.headers)
    if (!challenges.some(({ scheme }) => scheme === 'bearer')) return first
    first.body.destroy()
    this.#challenges = challenges
    this.#tokens.forget()
    return send(await this.#ready(request))
  }

  async #ready({ to, body, scopes, ...request }: SessionRequest): Promise<WireRequest> {
    const url = new URL(to, `${this.endpoint.base}/`)
    const isOwn = url.origin === new URL(this.endpoint.base).origin
    const authorization = isOwn ? await this.#authorization(scopes ?? [], request.signal) : undefined
    return {
      ...request,
      url,
      headers: { ...request.headers, ...(authorization !== undefined && { authorization }) },
      ...(body !== undefined && { body: body() }),
      isInsecure: this.endpoint.isInsecure,
    }
  }

  async #authorization(more: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const { auth, scopes } = this.#options
    if (auth?.registrytoken !== undefined) return `Bearer ${auth.registrytoken}` // ENG-718
    const bearer = this.#challenges.find(({ scheme }) => scheme === 'bearer')
    if (bearer !== undefined) {
      const wanted = [...new Set([...scopes, ...more])]
      return `Bearer ${await this.#tokens.get(bearer, wanted, signal)}`
    }
    if (!this.#challenges.some(({ scheme }) => scheme === 'basic')) return undefined
    if (auth?.username === undefined || auth.password === undefined) {
      throw new RegistryProblem('UNAUTHORIZED', 'no basic auth credentials')
    }
    return basic(auth.username, auth.password)
  }

  /** What the registry says in an answer of 400 and above. */
  async refusalOf(answer: WireAnswer): Promise<RegistryProblem> {
    const chunks: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of answer.body) {
        chunks.push(chunk)
        length += chunk.length
        if (length > maxRefusalBytes) break
      }
    } catch {
      // What came of it has to do.
    }
    return refusal(answer.status, Buffer.concat(chunks), readChallenges(answer.headers))
  }
}

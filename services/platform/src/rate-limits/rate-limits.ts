// Requests, tokens and images a project may use per minute, by model; and the headers that tell where it stands.
import { goDuration } from '@atoll/kernel/limits/duration'
import type { Bucket, BucketState, Limits, Take, Verdict } from '@atoll/kernel/limits/limits'
import type { ProjectCaller } from '../callers.ts'
import type { PlatformConfig } from '../config.ts'
import { limitErrors } from '../errors.ts'

const periodMs = 60_000
const maxKnownBuckets = 10_000

const kinds = ['requests', 'tokens', 'images'] as const
type Kind = (typeof kinds)[number]

const kindNames: Record<Kind, string> = {
  requests: 'requests per min (RPM)',
  tokens: 'tokens per min (TPM)',
  images: 'images per min (IPM)',
}

interface LimitSettings extends Pick<PlatformConfig, 'rateLimits'> {
  models: readonly Pick<PlatformConfig['models'][number], 'id' | 'limits'>[]
}

export interface Demand {
  /** Absent: an operation that uses no model. */
  model?: string
  tokens?: number
  images?: number
}

type Buckets = Record<Kind, Bucket>

export class RateLimits {
  readonly #limits: Limits
  readonly #config: LimitSettings
  readonly #known = new Map<string, Buckets>()

  constructor(limits: Limits, config: LimitSettings) {
    this.#limits = limits
    this.#config = config
  }

  /** Takes what the request needs, or throws 429. Returns the headers of the response. INF-020, INF-021, INF-022 */
  async admit(caller: ProjectCaller, demand: Demand = {}): Promise<Record<string, string>> {
    const buckets = this.#bucketsOf(caller.projectId, demand.model)
    const takes: Take[] = [
      { bucket: buckets.requests, amount: 1 },
      { bucket: buckets.tokens, amount: demand.tokens ?? 0 },
    ]
    if (demand.images) takes.push({ bucket: buckets.images, amount: demand.images })
    const verdict = await this.#limits.take(takes)
    const headers = stateHeaders(verdict.states)
    if (verdict.granted) return headers
    throw refusal(caller, demand, takes, verdict, headers)
  }

  /** Corrects an estimate: a positive number of tokens was taken too much, a negative one too little. */
  async settle(caller: ProjectCaller, model: string, tokens: number): Promise<void> {
    await this.#limits.giveBack([{ bucket: this.#bucketsOf(caller.projectId, model).tokens, amount: tokens }])
  }

  #bucketsOf(projectId: string, model = '*'): Buckets {
    const key = `${projectId}/${model}`
    const known = this.#known.get(key)
    if (known) return known
    if (this.#known.size >= maxKnownBuckets) this.#known.clear()
    const { projects, ...common } = this.#config.rateLimits
    const ofModel = this.#config.models.find(({ id }) => id === model)?.limits
    const limits = { ...common, ...ofModel, ...projects[projectId] }
    const bucket = (kind: Kind, capacity: number): Bucket => ({ key: `${key}/${kind}`, capacity, periodMs })
    const buckets: Buckets = {
      requests: bucket('requests', limits.requestsPerMinute),
      tokens: bucket('tokens', limits.tokensPerMinute),
      images: bucket('images', limits.imagesPerMinute),
    }
    this.#known.set(key, buckets)
    return buckets
  }
}

/** Written out, since objects of one fixed shape cost least on a path that every request takes. */
function stateHeaders([requests = full, tokens = full]: readonly BucketState[]): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(requests.limit),
    'x-ratelimit-limit-tokens': String(tokens.limit),
    'x-ratelimit-remaining-requests': remaining(requests),
    'x-ratelimit-remaining-tokens': remaining(tokens),
    'x-ratelimit-reset-requests': goDuration(Math.ceil(requests.resetMs)),
    'x-ratelimit-reset-tokens': goDuration(Math.ceil(tokens.resetMs)),
  }
}

const full: BucketState = { limit: 0, remaining: 0, resetMs: 0 }
const remaining = (state: BucketState): string => String(Math.max(0, Math.floor(state.remaining)))

function refusal(
  caller: ProjectCaller,
  demand: Demand,
  takes: readonly Take[],
  verdict: Verdict,
  headers: Record<string, string>,
) {
  const { index, retryAfterMs } = verdict.refused ?? { index: 0, retryAfterMs: periodMs }
  const kind = kinds[index] ?? 'requests'
  const limit = takes[index]?.bucket.capacity ?? 0
  const requested = takes[index]?.amount ?? 0
  const scope = `${demand.model ?? 'requests'} in organization ${caller.organizationId} on ${kindNames[kind]}`
  if (!Number.isFinite(retryAfterMs)) {
    const message = `Request too large for ${scope}: Limit ${limit}, Requested ${requested}. The input or output must be reduced in order to run successfully.`
    return limitErrors.rateLimited({ kind, message }, { ...headers, 'x-should-retry': 'false' })
  }
  const used = Math.ceil(limit - (verdict.states[index]?.remaining ?? 0))
  const wait = Math.max(1, Math.ceil(retryAfterMs))
  const message = `Rate limit reached for ${scope}: Limit ${limit}, Used ${used}, Requested ${requested}. Please try again in ${goDuration(wait)}.`
  return limitErrors.rateLimited(
    { kind, message },
    { ...headers, 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) },
  )
}

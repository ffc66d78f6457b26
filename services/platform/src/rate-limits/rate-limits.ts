// Requests, tokens and images a project may use per minute, by model; and the headers that tell where it stands.
import { goDuration } from '@atoll/kernel/limits/duration'
import type { Bucket, BucketState, Limits, Take, Verdict } from '@atoll/kernel/limits/limits'
import type { ProjectCaller } from '../callers.ts'
import type { PlatformConfig } from '../config.ts'
import { limitErrors } from '../errors/errors.ts'
import { type FullLimitSet, lowerLimits } from './limit-set.ts'
import type { OwnLimits, ProjectLimits } from './project-limits.ts'

const minuteMs = 60_000
const dayMs = 24 * 3600 * 1000

type Kind = 'requests' | 'tokens' | 'images' | 'requests-per-day'

const kindNames: Record<Kind, string> = {
  requests: 'requests per min (RPM)',
  tokens: 'tokens per min (TPM)',
  images: 'images per min (IPM)',
  'requests-per-day': 'requests per day (RPD)',
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

type Buckets = Record<Exclude<Kind, 'requests-per-day'>, Bucket> & { 'requests-per-day': Bucket | undefined }

interface KindTake extends Take {
  kind: Kind
}

export class RateLimits {
  readonly #limits: Limits
  readonly #config: LimitSettings
  readonly #own: Pick<ProjectLimits, 'of' | 'known'>
  /** By the project's own limits, which are new ones after every change, then by project and model. */
  readonly #known = new WeakMap<OwnLimits, Map<string, Buckets>>()

  constructor(limits: Limits, config: LimitSettings, own: Pick<ProjectLimits, 'of' | 'known'>) {
    this.#limits = limits
    this.#config = config
    this.#own = own
  }

  /** Takes what the request needs, or throws 429. Returns the headers of the response. INF-020, INF-021, INF-022 */
  async admit(caller: ProjectCaller, demand: Demand = {}): Promise<Record<string, string>> {
    const admitted = this.admitNow(caller, demand)
    if (admitted !== undefined) return admitted
    const takes = takesOf(await this.#bucketsOf(caller.projectId, demand.model), demand)
    return headersOrRefusal(caller, demand, takes, await this.#limits.take(takes))
  }

  /** The same without a promise: undefined where something must be waited for. */
  admitNow(caller: ProjectCaller, demand: Demand = {}): Record<string, string> | undefined {
    const own = this.#own.known(caller.projectId)
    if (own === undefined || this.#limits.takeNow === undefined) return undefined
    const takes = takesOf(this.#bucketsIn(own, caller.projectId, demand.model), demand)
    return headersOrRefusal(caller, demand, takes, this.#limits.takeNow(takes))
  }

  /** Corrects an estimate: a positive number of tokens was taken too much, a negative one too little. */
  async settle(caller: ProjectCaller, model: string, tokens: number): Promise<void> {
    const buckets = await this.#bucketsOf(caller.projectId, model)
    await this.#limits.giveBack([{ bucket: buckets.tokens, amount: tokens }])
  }

  /** What the organization allows its project at most: by the configuration. */
  ofOrganization(projectId: string, model: string): FullLimitSet {
    const { projects, ...common } = this.#config.rateLimits
    const ofModel = this.#config.models.find(({ id }) => id === model)?.limits
    return { ...common, ...ofModel, ...projects[projectId] }
  }

  async #bucketsOf(projectId: string, model?: string): Promise<Buckets> {
    return this.#bucketsIn(await this.#own.of(projectId), projectId, model)
  }

  #bucketsIn(own: OwnLimits, projectId: string, model = '*'): Buckets {
    const key = `${projectId}/${model}`
    const known = this.#known.get(own) ?? new Map<string, Buckets>()
    this.#known.set(own, known)
    const found = known.get(key)
    if (found) return found
    const buckets = bucketsFor(key, lowerLimits(this.ofOrganization(projectId, model), own.get(model)))
    known.set(key, buckets)
    return buckets
  }
}

function bucketsFor(key: string, limits: FullLimitSet): Buckets {
  const bucket = (kind: Kind, capacity: number, periodMs = minuteMs): Bucket => ({
    key: `${key}/${kind}`,
    capacity,
    periodMs,
  })
  return {
    requests: bucket('requests', limits.requestsPerMinute),
    tokens: bucket('tokens', limits.tokensPerMinute),
    images: bucket('images', limits.imagesPerMinute),
    'requests-per-day':
      limits.requestsPerDay === undefined ? undefined : bucket('requests-per-day', limits.requestsPerDay, dayMs),
  }
}

function takesOf(buckets: Buckets, demand: Demand): KindTake[] {
  const takes: KindTake[] = [
    { kind: 'requests', bucket: buckets.requests, amount: 1 },
    { kind: 'tokens', bucket: buckets.tokens, amount: demand.tokens ?? 0 },
  ]
  if (demand.images) takes.push({ kind: 'images', bucket: buckets.images, amount: demand.images })
  const daily = buckets['requests-per-day']
  if (daily !== undefined) takes.push({ kind: 'requests-per-day', bucket: daily, amount: 1 })
  return takes
}

function headersOrRefusal(
  caller: ProjectCaller,
  demand: Demand,
  takes: readonly KindTake[],
  verdict: Verdict,
): Record<string, string> {
  const headers = stateHeaders(verdict.states)
  if (verdict.granted) return headers
  throw refusal(caller, demand, takes, verdict, headers)
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
  takes: readonly KindTake[],
  verdict: Verdict,
  headers: Record<string, string>,
) {
  const { index, retryAfterMs } = verdict.refused ?? { index: 0, retryAfterMs: minuteMs }
  const refused = takes[index]?.kind ?? 'requests'
  const kind = refused === 'requests-per-day' ? 'requests' : refused
  const limit = takes[index]?.bucket.capacity ?? 0
  const requested = takes[index]?.amount ?? 0
  const scope = `${demand.model ?? 'requests'} in organization ${caller.organizationId} on ${kindNames[refused]}`
  if (!Number.isFinite(retryAfterMs)) {
    const none = `Rate limit reached for ${scope}: Limit 0. This project may not use it. An administrator can raise the limit under /v1/organization/projects/${caller.projectId}/rate_limits.`
    const large = `Request too large for ${scope}: Limit ${limit}, Requested ${requested}. The input or output must be reduced in order to run successfully.`
    return limitErrors.rateLimited(
      { kind, message: limit === 0 ? none : large },
      { ...headers, 'x-should-retry': 'false' },
    )
  }
  const used = Math.ceil(limit - (verdict.states[index]?.remaining ?? 0))
  const wait = Math.max(1, Math.ceil(retryAfterMs))
  const message = `Rate limit reached for ${scope}: Limit ${limit}, Used ${used}, Requested ${requested}. Please try again in ${goDuration(wait)}.`
  return limitErrors.rateLimited(
    { kind, message },
    { ...headers, 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) },
  )
}

// Limits of a project, one for each configured model: the organization's own, or what an administrator has lowered
// them to. AST-251, AST-252, AST-254
import type { Database } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../../audit/actor-of.ts'
import type { AuditLog } from '../../../../audit/audit-log.ts'
import { type ListEnvelope, listPage } from '../../../../conventions/lists.ts'
import { rateLimitErrors } from '../../../../errors/usage.ts'
import { requireActiveProject, requireProject } from '../../../../identity/projects/project.ts'
import { type FullLimitSet, type LimitSet, lowerLimits } from '../../../../rate-limits/limit-set.ts'
import type { ProjectLimits } from '../../../../rate-limits/project-limits.ts'
import type { RateLimits } from '../../../../rate-limits/rate-limits.ts'
import type { Administrator } from '../../administrator.ts'
import { pageOf } from './page.ts'
import type { RateLimitObject, RateLimitParams, UpdateRateLimit } from './schema.ts'

interface Parts {
  db: Database
  audit: Pick<AuditLog, 'record'>
  limits: Pick<RateLimits, 'ofOrganization'>
  projectLimits: ProjectLimits
  /** Ids of the configured models. */
  models: readonly string[]
}

const prefix = 'rl-'

const names = {
  max_requests_per_1_minute: 'requestsPerMinute',
  max_tokens_per_1_minute: 'tokensPerMinute',
  max_images_per_1_minute: 'imagesPerMinute',
  max_requests_per_1_day: 'requestsPerDay',
} as const satisfies Partial<Record<keyof UpdateRateLimit, keyof LimitSet>>
const known = Object.keys(names) as (keyof typeof names)[]
const notKept = ['max_audio_megabytes_per_1_minute', 'batch_1_day_max_input_tokens'] as const

export class ProjectRateLimits {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(
    { caller }: Administrator,
    projectId: string,
    query: Omit<PageQuery, 'order'>,
  ): Promise<ListEnvelope<RateLimitObject>> {
    const { db, models, projectLimits, limits } = this.#parts
    await requireProject(db.queries, caller.organizationId, projectId)
    const own = await projectLimits.of(projectId)
    const rows = models.map((model) => ({ id: prefix + model, model }))
    return listPage(
      { ...query, order: 'asc' },
      async (page) => pageOf(rows, page),
      ({ model }) => present(model, lowerLimits(limits.ofOrganization(projectId, model), own.get(model))),
    )
  }

  update(
    by: Administrator,
    { project_id: projectId, rate_limit_id: id }: RateLimitParams,
    request: UpdateRateLimit,
  ): Promise<RateLimitObject> {
    const { db, audit, models, limits, projectLimits } = this.#parts
    const { organizationId } = by.caller
    for (const name of notKept) if (request[name] !== undefined) throw rateLimitErrors.notKept(name, known)
    return db.transaction(async (tx) => {
      await requireActiveProject(tx, organizationId, projectId)
      const model = models.find((name) => prefix + name === id)
      if (model === undefined) throw rateLimitErrors.notFound(id)
      const organization = limits.ofOrganization(projectId, model)
      const asked = askedLimits(request, organization)
      const own = { ...(await projectLimits.readIn(tx, projectId)).get(model), ...asked }
      if (Object.keys(asked).length > 0) {
        await projectLimits.setIn(tx, projectId, model, own)
        const details = { id, changes_requested: { ...request } }
        await audit.record(tx, actorOf(by), organizationId, { type: 'rate_limit.updated', projectId, details })
      }
      return present(model, lowerLimits(organization, own))
    })
  }
}

/** Refused when it is more than the organization has itself. */
function askedLimits(request: UpdateRateLimit, organization: FullLimitSet): LimitSet {
  const asked: LimitSet = {}
  for (const name of known) {
    const value = request[name]
    const most = organization[names[name]]
    if (value === undefined) continue
    if (most !== undefined && value > most) throw rateLimitErrors.aboveOrganization(name, most)
    asked[names[name]] = value
  }
  return asked
}

const present = (model: string, limits: FullLimitSet): RateLimitObject => ({
  object: 'project.rate_limit',
  id: prefix + model,
  model,
  max_requests_per_1_minute: limits.requestsPerMinute,
  max_tokens_per_1_minute: limits.tokensPerMinute,
  max_images_per_1_minute: limits.imagesPerMinute,
  ...(limits.requestsPerDay === undefined ? {} : { max_requests_per_1_day: limits.requestsPerDay }),
})

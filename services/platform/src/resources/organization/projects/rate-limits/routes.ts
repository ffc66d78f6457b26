import { integerParamOr } from '@atoll/kernel/http/query'
import { defineRoute } from '../../../../callers.ts'
import { listOf } from '../../../../conventions/lists.ts'
import { AdminPage } from '../../admin-page.ts'
import { ProjectParams } from '../schema.ts'
import { RateLimitObject, RateLimitParams, UpdateRateLimit } from './schema.ts'
import type { ProjectRateLimits } from './service.ts'

/** Models are in the order of the configuration. */
const RateLimitPage = AdminPage.omit({ order: true }).extend({ limit: integerParamOr(100, { min: 1, max: 100 }) })

export const rateLimitRoutes = (rateLimits: ProjectRateLimits) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/rate_limits',
    auth: 'admin',
    summary: 'List the rate limits of a project',
    params: ProjectParams,
    query: RateLimitPage,
    response: listOf(RateLimitObject),
    handler: (exchange) => rateLimits.list(exchange, exchange.params.project_id, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/rate_limits/:rate_limit_id',
    auth: 'admin',
    summary: 'Set a rate limit of a project, at most to what the organization has',
    params: RateLimitParams,
    body: UpdateRateLimit,
    response: RateLimitObject,
    handler: (exchange) => rateLimits.update(exchange, exchange.params, exchange.body),
  }),
]

import { defineRoute } from '../../../callers.ts'
import { pageOfBuckets } from '../usage/schema.ts'
import { CostsQuery } from './query.ts'
import { CostsResult } from './schema.ts'
import type { Costs } from './service.ts'

export const costRoutes = (costs: Costs) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/costs',
    auth: 'admin',
    summary: 'Costs by the price list, day by day',
    query: CostsQuery,
    response: pageOfBuckets(CostsResult),
    handler: (exchange) => costs.page(exchange, exchange.query),
  }),
]

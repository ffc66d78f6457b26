import { defineRoute } from '../../callers.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import { DistributionInspect, DistributionParams } from './schema.ts'
import type { Distribution } from './service.ts'

export const distributionRoutes = (distribution: Distribution) => [
  defineRoute({
    method: 'GET',
    path: '/distribution/:name/json',
    auth: 'anyone',
    summary: 'Look at an image in its registry',
    params: DistributionParams,
    response: DistributionInspect,
    handler: ({ params: { name }, headers, signal }) =>
      distribution.inspect(name, readRegistryAuth(headers, name), signal),
  }),
]

import { defineRoute } from '../../callers.ts'
import { capabilities } from '../modules/capabilities.ts'
import { ClusterObject, ModuleCapabilities } from './schema.ts'
import type { ClusterItself } from './service.ts'

export const clusterRoutes = (cluster: ClusterItself) => [
  defineRoute({
    method: 'GET',
    path: '/v1/cluster',
    auth: 'view_cluster_info',
    summary: 'Get the cluster',
    response: ClusterObject,
    handler: () => cluster.get(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/cluster/module-capabilities',
    auth: 'view_cluster_modules',
    summary: 'List what modules can say that they support',
    response: ModuleCapabilities,
    handler: () => ({ all_capabilities: capabilities.map(([name, desc]) => ({ name, desc })) }),
  }),
]

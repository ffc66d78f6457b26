import { defineRoute } from '../../../../callers.ts'
import { listOf } from '../../../../conventions/lists.ts'
import { AdminPage } from '../../admin-page.ts'
import { ProjectParams } from '../schema.ts'
import { ProjectApiKeyDeleted, ProjectApiKeyObject, ProjectApiKeyParams } from './schema.ts'
import type { ProjectApiKeys } from './service.ts'

export const projectApiKeyRoutes = (keys: ProjectApiKeys) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/api_keys',
    auth: 'admin',
    summary: 'List the API keys of a project',
    params: ProjectParams,
    query: AdminPage,
    response: listOf(ProjectApiKeyObject),
    handler: (exchange) => keys.list(exchange, exchange.params.project_id, exchange.query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/api_keys/:key_id',
    auth: 'admin',
    summary: 'Retrieve an API key of a project',
    params: ProjectApiKeyParams,
    response: ProjectApiKeyObject,
    handler: (exchange) => keys.get(exchange, exchange.params.project_id, exchange.params.key_id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/projects/:project_id/api_keys/:key_id',
    auth: 'admin',
    summary: 'Delete an API key of a project',
    params: ProjectApiKeyParams,
    response: ProjectApiKeyDeleted,
    handler: (exchange) => keys.delete(exchange, exchange.params.project_id, exchange.params.key_id),
  }),
]

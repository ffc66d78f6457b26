import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { AdminPage } from '../admin-page.ts'
import {
  AdminApiKeyDeleted,
  AdminApiKeyObject,
  AdminApiKeyParams,
  CreateAdminApiKey,
  NewAdminApiKeyObject,
} from './schema.ts'
import type { AdminApiKeys } from './service.ts'

export const adminApiKeyRoutes = (keys: AdminApiKeys) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/admin_api_keys',
    auth: 'admin',
    summary: 'List admin keys',
    query: AdminPage,
    response: listOf(AdminApiKeyObject),
    handler: (exchange) => keys.list(exchange, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/admin_api_keys',
    auth: 'admin',
    summary: 'Create an admin key of your own, and show it once',
    body: CreateAdminApiKey,
    response: NewAdminApiKeyObject,
    handler: (exchange) => keys.create(exchange, exchange.body.name),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/admin_api_keys/:key_id',
    auth: 'admin',
    summary: 'Retrieve an admin key',
    params: AdminApiKeyParams,
    response: AdminApiKeyObject,
    handler: (exchange) => keys.get(exchange, exchange.params.key_id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/admin_api_keys/:key_id',
    auth: 'admin',
    summary: 'Delete an admin key',
    params: AdminApiKeyParams,
    response: AdminApiKeyDeleted,
    handler: (exchange) => keys.delete(exchange, exchange.params.key_id),
  }),
]

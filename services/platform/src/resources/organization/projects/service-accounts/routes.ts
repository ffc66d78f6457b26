import { defineRoute } from '../../../../callers.ts'
import { listOf } from '../../../../conventions/lists.ts'
import { AdminPage } from '../../admin-page.ts'
import { ProjectParams } from '../schema.ts'
import {
  CreateServiceAccount,
  NewServiceAccountObject,
  ServiceAccountDeleted,
  ServiceAccountObject,
  ServiceAccountParams,
  UpdateServiceAccount,
} from './schema.ts'
import type { ServiceAccounts } from './service.ts'

export const serviceAccountRoutes = (accounts: ServiceAccounts) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/service_accounts',
    auth: 'admin',
    summary: 'List the service accounts of a project',
    params: ProjectParams,
    query: AdminPage,
    response: listOf(ServiceAccountObject),
    handler: (exchange) => accounts.list(exchange, exchange.params.project_id, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/service_accounts',
    auth: 'admin',
    summary: 'Create a service account, and show its key once',
    params: ProjectParams,
    body: CreateServiceAccount,
    response: NewServiceAccountObject,
    handler: (exchange) => accounts.create(exchange, exchange.params.project_id, exchange.body.name),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/service_accounts/:service_account_id',
    auth: 'admin',
    summary: 'Retrieve a service account',
    params: ServiceAccountParams,
    response: ServiceAccountObject,
    handler: (exchange) => accounts.get(exchange, exchange.params.project_id, exchange.params.service_account_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/service_accounts/:service_account_id',
    auth: 'admin',
    summary: 'Rename a service account, or change its role',
    params: ServiceAccountParams,
    body: UpdateServiceAccount,
    response: ServiceAccountObject,
    handler: (exchange) => accounts.update(exchange, exchange.params, exchange.body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/projects/:project_id/service_accounts/:service_account_id',
    auth: 'admin',
    summary: 'Delete a service account and its key',
    params: ServiceAccountParams,
    response: ServiceAccountDeleted,
    handler: (exchange) => accounts.delete(exchange, exchange.params.project_id, exchange.params.service_account_id),
  }),
]

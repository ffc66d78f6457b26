import { booleanParamOr } from '@atoll/kernel/http/query'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { AdminPage } from '../admin-page.ts'
import { NamedProject, ProjectObject, ProjectParams } from './schema.ts'
import type { Projects } from './service.ts'

export const projectRoutes = (projects: Projects) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects',
    auth: 'admin',
    summary: 'List projects',
    query: AdminPage.extend({ include_archived: booleanParamOr(false) }), // AST-215
    response: listOf(ProjectObject),
    handler: (exchange) => {
      const { include_archived, ...page } = exchange.query
      return projects.list(exchange, page, include_archived)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects',
    auth: 'admin',
    summary: 'Create a project',
    body: NamedProject,
    response: ProjectObject,
    handler: (exchange) => projects.create(exchange, exchange.body.name),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id',
    auth: 'admin',
    summary: 'Retrieve a project',
    params: ProjectParams,
    response: ProjectObject,
    handler: (exchange) => projects.get(exchange, exchange.params.project_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id',
    auth: 'admin',
    summary: 'Rename a project',
    params: ProjectParams,
    body: NamedProject,
    response: ProjectObject,
    handler: (exchange) => projects.rename(exchange, exchange.params.project_id, exchange.body.name),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/archive',
    auth: 'admin',
    summary: 'Archive a project: its keys stop at once',
    params: ProjectParams,
    response: ProjectObject,
    handler: (exchange) => projects.archive(exchange, exchange.params.project_id),
  }),
]

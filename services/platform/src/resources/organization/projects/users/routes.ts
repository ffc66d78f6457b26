import { defineRoute } from '../../../../callers.ts'
import { listOf } from '../../../../conventions/lists.ts'
import { AdminPage } from '../../admin-page.ts'
import { ProjectParams } from '../schema.ts'
import {
  AddProjectUser,
  ProjectUserDeleted,
  ProjectUserObject,
  ProjectUserParams,
  UpdateProjectUser,
} from './schema.ts'
import type { ProjectUsers } from './service.ts'

export const projectUserRoutes = (users: ProjectUsers) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/users',
    auth: 'admin',
    summary: 'List the users of a project',
    params: ProjectParams,
    query: AdminPage,
    response: listOf(ProjectUserObject),
    handler: (exchange) => users.list(exchange, exchange.params.project_id, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/users',
    auth: 'admin',
    summary: 'Add a user of the organization to a project',
    params: ProjectParams,
    body: AddProjectUser,
    response: ProjectUserObject,
    handler: (exchange) => {
      const { user_id: userId, role } = exchange.body
      return users.add(exchange, exchange.params.project_id, { userId, role })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/projects/:project_id/users/:user_id',
    auth: 'admin',
    summary: 'Retrieve a user of a project',
    params: ProjectUserParams,
    response: ProjectUserObject,
    handler: (exchange) => users.get(exchange, exchange.params.project_id, exchange.params.user_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/projects/:project_id/users/:user_id',
    auth: 'admin',
    summary: "Change a user's role in a project",
    params: ProjectUserParams,
    body: UpdateProjectUser,
    response: ProjectUserObject,
    handler: (exchange) => {
      const { project_id, user_id: userId } = exchange.params
      return users.changeRole(exchange, project_id, { userId, role: exchange.body.role })
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/projects/:project_id/users/:user_id',
    auth: 'admin',
    summary: 'Remove a user from a project',
    params: ProjectUserParams,
    response: ProjectUserDeleted,
    handler: (exchange) => users.remove(exchange, exchange.params.project_id, exchange.params.user_id),
  }),
]

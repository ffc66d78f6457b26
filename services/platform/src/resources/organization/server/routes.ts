import { defineRoute } from '../../../callers.ts'
import { ServerChecks, ServerSettings } from './schema.ts'
import type { Server } from './service.ts'

export const serverRoutes = (server: Server) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/server/settings',
    auth: 'admin',
    summary: 'List the settings of the server with their sources, without secrets',
    response: ServerSettings,
    handler: () => server.settings(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/server/checks',
    auth: 'admin',
    summary: 'Tell what the machine of the server has and lacks, as ./atoll doctor does',
    response: ServerChecks,
    handler: () => server.checks(),
  }),
]

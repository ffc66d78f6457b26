import { bytes, empty } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import { streamType } from '../../streams/stream-type.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { LogsQuery } from '../containers/logs/logs-query.ts'
import { filters, flag } from '../query/schema.ts'
import type { Tasks } from '../tasks/service.ts'
import type { TaskLogs } from './logs.ts'
import { Service, ServiceCreated, ServiceId, ServiceSpec, ServiceUpdated } from './schema.ts'
import type { Services } from './service.ts'

const text = z.string().optional()
const authOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined

export const serviceRoutes = (services: Services, tasks: Tasks, logs: TaskLogs): Route<EngineCallers>[] => [
  ...changingRoutes(services),
  ...logRoutes(services, tasks, logs),
]

const changingRoutes = (services: Services): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/services',
    auth: 'anyone',
    summary: 'List services',
    query: z.object({ filters, status: flag }),
    response: z.array(Service).readonly(),
    handler: ({ query }) => services.list(query.filters, query.status),
  }),
  defineRoute({
    method: 'POST',
    path: '/services/create',
    auth: 'anyone',
    summary: 'Create a service',
    body: ServiceSpec,
    response: ServiceCreated,
    status: 201,
    handler: async ({ body, headers }) => ({
      ID: await services.create(body, authOf(headers['x-registry-auth'])),
      Warnings: null,
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/services/:id',
    auth: 'anyone',
    summary: 'Inspect a service',
    params: ServiceId,
    query: z.object({ insertDefaults: flag }),
    response: Service,
    handler: ({ params, query }) => services.inspect(params.id, query.insertDefaults),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/services/:id',
    auth: 'anyone',
    summary: 'Remove a service',
    params: ServiceId,
    response: 'bytes',
    handler: async ({ params }) => {
      await services.remove(params.id)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/services/:id/update',
    auth: 'anyone',
    summary: 'Update a service',
    params: ServiceId,
    query: z.object({ version: versionQuery, registryAuthFrom: text, rollback: text }),
    body: ServiceSpec,
    response: ServiceUpdated,
    handler: async ({ params, query, body, headers }) => {
      await services.update(params.id, body, { ...query, registryAuth: authOf(headers['x-registry-auth']) })
      return { Warnings: null }
    },
  }),
]

const logRoutes = (services: Services, tasks: Tasks, logs: TaskLogs): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/services/:id/logs',
    auth: 'anyone',
    summary: 'Read the logs of a service',
    params: ServiceId,
    query: LogsQuery,
    response: 'bytes',
    handler: ({ params, query, ways }) => {
      const { ID, Spec } = services.find(params.id)
      const isTty = Spec.TaskTemplate?.ContainerSpec?.TTY === true
      const output = logs.open(tasks.idsOf(ID), isTty, query)
      return bytes(output, { 'content-type': streamType(isTty, ways) })
    },
  }),
]

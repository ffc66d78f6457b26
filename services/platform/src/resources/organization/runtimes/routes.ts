import { defineRoute } from '../../../callers.ts'
import { RuntimeList, RuntimeObject, RuntimeParams } from './schema.ts'
import type { Runtimes } from './service.ts'

export const runtimeRoutes = (runtimes: Runtimes) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/runtimes',
    auth: 'admin',
    summary: 'List what runs the models, with the ids that each answers and how busy it is',
    response: RuntimeList,
    handler: () => runtimes.list(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/runtimes/:runtime',
    auth: 'admin',
    summary: 'Retrieve one of the runtimes',
    params: RuntimeParams,
    response: RuntimeObject,
    handler: ({ params }) => runtimes.get(params.runtime),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/runtimes/:runtime/load',
    auth: 'admin',
    summary: 'Load the model of a runtime before the first call does',
    params: RuntimeParams,
    response: RuntimeObject,
    handler: ({ params }) => runtimes.load(params.runtime),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/runtimes/:runtime/unload',
    auth: 'admin',
    summary: 'Unload the model of a runtime: its memory is free until the next call loads it',
    params: RuntimeParams,
    response: RuntimeObject,
    handler: ({ params }) => runtimes.unload(params.runtime),
  }),
]

// Further processes in containers over HTTP.
import { empty, hijack } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../callers.ts'
import { streamType } from '../../streams/stream-type.ts'
import {
  CreatedExec,
  CreateExec,
  ExecContainerParams,
  ExecInspect,
  ExecParams,
  ExecResizeQuery,
  StartExec,
} from './schema.ts'
import type { Execs } from './service.ts'

/** The second is an odd spelling of the documents. */
const startMethods = ['POST', 'GET'] as const

export const execRoutes = (execs: Execs) => [
  defineRoute({
    method: 'POST',
    path: '/containers/:id/exec',
    auth: 'anyone',
    summary: 'Prepare a further process in a container',
    params: ExecContainerParams,
    body: CreateExec,
    response: CreatedExec,
    status: 201,
    handler: ({ params, body }) => ({ Id: execs.create(params.id, body), Warnings: [] }),
  }),
  ...startMethods.map((method) =>
    defineRoute({
      method,
      path: '/exec/:id/start',
      auth: 'anyone',
      summary: 'Start a prepared process',
      params: ExecParams,
      body: StartExec,
      response: 'raw',
      handler: async ({ params, body, ways }) => {
        if (body.Detach === true) {
          await execs.startDetached(params.id, body)
          return empty(200)
        }
        const { tty, serve } = execs.start(params.id, body)
        return hijack(serve, { 'content-type': streamType(tty, ways) })
      },
    }),
  ),
  defineRoute({
    method: 'POST',
    path: '/exec/:id/resize',
    auth: 'anyone',
    summary: "Resize a process' terminal",
    params: ExecParams,
    query: ExecResizeQuery,
    response: 'bytes',
    handler: async ({ params, query }) => {
      await execs.resize(params.id, query)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/exec/:id/json',
    auth: 'anyone',
    summary: 'Tell about a process',
    params: ExecParams,
    response: ExecInspect,
    handler: ({ params }) => execs.inspect(params.id),
  }),
]

import { bytes } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { streamType } from '../../streams/stream-type.ts'
import { LogsQuery } from '../containers/logs/logs-query.ts'
import { filters } from '../query/schema.ts'
import type { TaskLogs } from '../services/logs.ts'
import { Task, TaskId } from './schema.ts'
import type { Tasks } from './service.ts'

export const taskRoutes = (tasks: Tasks, logs: TaskLogs) => [
  defineRoute({
    method: 'GET',
    path: '/tasks',
    auth: 'anyone',
    summary: 'List tasks',
    query: z.object({ filters }),
    response: z.array(Task),
    handler: ({ query }) => tasks.list(query.filters),
  }),
  defineRoute({
    method: 'GET',
    path: '/tasks/:id',
    auth: 'anyone',
    summary: 'Inspect a task',
    params: TaskId,
    response: Task,
    handler: ({ params }) => tasks.inspect(params.id),
  }),
  defineRoute({
    method: 'GET',
    path: '/tasks/:id/logs',
    auth: 'anyone',
    summary: 'Read the logs of a task',
    params: TaskId,
    query: LogsQuery,
    response: 'bytes',
    handler: ({ params, query, ways }) => {
      const { ID, Spec } = tasks.find(params.id)
      const isTty = Spec.ContainerSpec?.TTY === true
      return bytes(logs.open([ID], isTty, query), { 'content-type': streamType(isTty, ways) })
    },
  }),
]

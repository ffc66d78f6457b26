// A route that is there only to say why it does nothing: clients print these words.
import type { HttpError } from '@atoll/kernel/http/error'
import type { Route } from '@atoll/kernel/http/route'
import { defineRoute, type EngineCallers } from '../callers.ts'
import type { RouteName } from '../versions/change.ts'

export function refusedRoute(name: RouteName, summary: string, refusal: () => HttpError): Route<EngineCallers> {
  const [method, path] = name.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
  return defineRoute({
    method,
    path,
    auth: 'anyone',
    summary,
    // Left unread: the kernel hears the client out, so that the answer is not lost.
    body: method === 'POST' ? 'stream' : undefined,
    response: 'bytes',
    handler: () => {
      throw refusal()
    },
  })
}

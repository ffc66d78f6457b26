import { events, json } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../callers.ts'
import { Completion, CreateCompletion, maxNumbers } from './schema.ts'
import type { Completions } from './service.ts'

export const completionRoutes = (completions: Completions) => [
  defineRoute({
    method: 'POST',
    path: '/v1/completions',
    auth: 'project',
    summary: 'Create a completion',
    body: CreateCompletion,
    takesLargeJson: true,
    maxJsonNumbers: maxNumbers,
    response: Completion,
    handler: async ({ caller, body, signal }) => {
      if (body.stream === true) {
        const { frames, headers } = await completions.stream(caller, body, { signal })
        return events(frames, headers)
      }
      const { completion, headers } = await completions.create(caller, body, { signal })
      return json(200, completion, headers)
    },
  }),
]

import { json } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../callers.ts'
import { CreateModeration, Moderation } from './schema.ts'
import type { Moderations } from './service.ts'

export const moderationRoutes = (moderations: Moderations) => [
  defineRoute({
    method: 'POST',
    path: '/v1/moderations',
    auth: 'project',
    summary: 'Judge whether texts and images are harmful',
    body: CreateModeration,
    takesLargeJson: true,
    response: Moderation,
    handler: async ({ caller, body, signal }) => {
      const { moderation, headers } = await moderations.create(caller, body, signal)
      return json(200, moderation, headers)
    },
  }),
]

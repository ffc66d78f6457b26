import { z } from 'zod'
import type { SessionRow } from '../../agent/sessions/store.ts'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { AdminAgent } from '../parts.ts'
import { IdParams, Limit, Moment, shownTime } from '../schema.ts'

const Session = z.object({
  id: z.string(),
  kind: z.enum(['main', 'hook']),
  key: z.string(),
  threadId: z.string().nullable(),
  trust: z.enum(['operator', 'external']),
  turns: z.int(),
  createdAt: Moment,
  usedAt: Moment,
})

const shown = ({ id, kind, key, thread_id, trust, turns, created_at, used_at }: SessionRow) => ({
  ...{ id, kind, key, threadId: thread_id, trust, turns: Number(turns) },
  ...{ createdAt: shownTime(created_at), usedAt: shownTime(used_at) },
})

export const sessionRoutes = (agent: AdminAgent) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/sessions',
    auth: 'admin',
    summary: 'List conversations, the one used last first',
    query: z.object({ limit: Limit }),
    response: z.object({ sessions: z.array(Session) }),
    handler: async ({ query: { limit } }) => ({ sessions: (await agent.listSessions(limit)).map(shown) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/hooks-admin/sessions/:id/reset',
    auth: 'admin',
    summary: 'Forget a conversation; what comes next starts anew, and is trusted anew',
    params: IdParams,
    response: z.object({ ok: z.literal(true) }),
    handler: async ({ params: { id } }) => {
      if (!(await agent.resetSession(id))) throw errors.notFound(`session ${id}`)
      return { ok: true as const }
    },
  }),
]

// A run is a delivery, under the id that its sender was given.
import { events } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { requestOf } from '../../agent/turns/turn.ts'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { DeliveryDesk } from '../../ports.ts'
import { deliveryDetail } from '../deliveries/present.ts'
import { DeliveryDetail } from '../deliveries/schema.ts'
import type { AdminAgent } from '../parts.ts'
import { IdParams, wholeNumber } from '../schema.ts'
import { followAll } from './follow-all.ts'
import { followRun } from './follow-run.ts'
import { Turn } from './schema.ts'

async function needRun(desk: DeliveryDesk, id: string) {
  const record = await desk.get(id)
  if (record === undefined) throw errors.notFound(`run ${id}`)
  return record
}

/** What a client that was here before has seen; undefined when it was not. */
const lastEventId = (headers: Record<string, string | string[] | undefined>): string | undefined => {
  const { 'last-event-id': id } = headers
  return typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : undefined
}

export const runRoutes = (desk: DeliveryDesk, agent: Pick<AdminAgent, 'turnOf'>) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/runs/:id/turn',
    auth: 'admin',
    summary: 'Show what the agent was asked in a run; null before its turn has begun',
    params: IdParams,
    response: Turn.nullable(),
    handler: async ({ params: { id } }) => {
      await needRun(desk, id)
      const turn = await agent.turnOf(id)
      // A run that was just claimed has none yet, one that wakes has none at all: whoever looks at it made no mistake.
      if (turn === undefined) return null
      return { ...requestOf(turn), trust: turn.trust, threadId: turn.thread_id, runId: turn.run_id }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/runs/:id',
    auth: 'admin',
    summary: 'Show a run: its state, and what it came to',
    params: IdParams,
    response: DeliveryDetail,
    handler: async ({ params: { id } }) => deliveryDetail(await needRun(desk, id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/runs/:id/events',
    auth: 'admin',
    summary: 'Follow a run until its end',
    params: IdParams,
    response: 'events',
    handler: async ({ params: { id }, headers, signal }) => {
      await needRun(desk, id)
      const seen = Number(lastEventId(headers) ?? 0)
      return events(followRun(desk, id, { after: Number.isSafeInteger(seen) ? seen : 0, signal }))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/events',
    auth: 'admin',
    summary: 'Follow all deliveries',
    query: z.object({ recent: wholeNumber(0, 1_000).default(0) }),
    response: 'events',
    handler: ({ query: { recent }, headers, signal }) =>
      events(followAll(desk, { after: lastEventId(headers), recent, signal })),
  }),
]

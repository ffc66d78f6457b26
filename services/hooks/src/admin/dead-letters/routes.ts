// What was given up: deliveries that failed too often, and messages that no channel took.
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import { deliverySummary } from '../deliveries/present.ts'
import { DeliverySummary } from '../deliveries/schema.ts'
import { shownMessage } from '../outbox/present.ts'
import { Message } from '../outbox/schema.ts'
import type { AdminParts } from '../parts.ts'
import { IdParams, Limit } from '../schema.ts'

const Retried = z.object({ ok: z.literal(true), kind: z.enum(['delivery', 'message']), id: z.string() })

export function deadLetterRoutes({ kernel: { db }, desk, outbox }: Pick<AdminParts, 'kernel' | 'desk' | 'outbox'>) {
  /** A delivery becomes a new one, a message gets all its attempts again. */
  const retry = async (id: string): Promise<z.infer<typeof Retried>> => {
    if (await db.transaction((tx) => outbox.retry(tx, id))) return { ok: true, kind: 'message', id }
    const delivery = await desk.get(id)
    if (delivery === undefined && (await outbox.get(id)) === undefined) throw errors.notFound(`dead letter ${id}`)
    if (delivery?.state !== 'dead') throw errors.notDead(id)
    const made = await desk.replay(id)
    if (made === undefined) throw errors.notFound(`dead letter ${id}`)
    return { ok: true, kind: 'delivery', id: made }
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/hooks-admin/dead-letters',
      auth: 'admin',
      summary: 'List what was given up, the newest first',
      query: z.object({ limit: Limit }),
      response: z.object({ deliveries: z.array(DeliverySummary), messages: z.array(Message) }),
      handler: async ({ query: { limit } }) => {
        const deliveries = await desk.list({ state: 'dead', limit, order: 'desc' })
        const messages = await outbox.list({ state: 'dead', limit })
        return { deliveries: deliveries.map(deliverySummary), messages: messages.map(shownMessage) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/hooks-admin/dead-letters/:id/retry',
      auth: 'admin',
      summary: 'Try a delivery or a message that was given up once more',
      params: IdParams,
      response: Retried,
      status: 202,
      handler: ({ params: { id } }) => retry(id),
    }),
  ]
}

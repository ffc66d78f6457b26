import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { DeliveryDesk } from '../../ports.ts'
import { IdParams } from '../schema.ts'
import { deliveryDetail, deliverySummary } from './present.ts'
import { DeliveryDetail, DeliveryQuery, DeliverySummary } from './schema.ts'

export const deliveryRoutes = (desk: DeliveryDesk) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/deliveries',
    auth: 'admin',
    summary: 'List deliveries, the newest first',
    query: DeliveryQuery,
    response: z.object({ deliveries: z.array(DeliverySummary), hasMore: z.boolean() }),
    handler: async ({ query }) => {
      const records = await desk.list({ ...query, limit: query.limit + 1 })
      const deliveries = records.slice(0, query.limit).map(deliverySummary)
      return { deliveries, hasMore: records.length > query.limit }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/deliveries/:id',
    auth: 'admin',
    summary: 'Show a delivery with all that is known of it',
    params: IdParams,
    response: DeliveryDetail,
    handler: async ({ params: { id } }) => {
      const record = await desk.get(id)
      if (record === undefined) throw errors.noSuchDelivery(id)
      return deliveryDetail(record)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/hooks-admin/deliveries/:id/replay',
    auth: 'admin',
    summary: 'Do the same once more, as a delivery of its own',
    params: IdParams,
    response: z.object({ ok: z.literal(true), id: z.string(), replayOf: z.string() }),
    status: 202,
    handler: async ({ params: { id } }) => {
      const made = await desk.replay(id)
      if (made === undefined) throw errors.noSuchDelivery(id)
      return { ok: true as const, id: made, replayOf: id }
    },
  }),
]

import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { AdminOutbox } from '../parts.ts'
import { IdParams } from '../schema.ts'
import { shownMessage } from './present.ts'
import { Message, MessageQuery } from './schema.ts'

export function outboxRoutes(outbox: AdminOutbox) {
  const need = async (id: string) => {
    const row = await outbox.get(id)
    if (row === undefined) throw errors.notFound(`message ${id}`)
    return row
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/hooks-admin/outbox',
      auth: 'admin',
      summary: 'List messages to channels, the newest first',
      query: MessageQuery,
      response: z.object({ messages: z.array(Message), hasMore: z.boolean() }),
      handler: async ({ query: { after, limit, state, origin } }) => {
        const before = after === undefined ? undefined : (await need(after)).position
        const rows = await outbox.list({
          limit: limit + 1,
          ...(state === undefined ? {} : { state }),
          ...(origin === undefined ? {} : { origin }),
          ...(before === undefined ? {} : { before }),
        })
        return { messages: rows.slice(0, limit).map(shownMessage), hasMore: rows.length > limit }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/hooks-admin/outbox/:id',
      auth: 'admin',
      summary: 'Show a message',
      params: IdParams,
      response: Message,
      handler: async ({ params: { id } }) => shownMessage(await need(id)),
    }),
  ]
}

import { pageQuery, stringsParam } from '@atoll/kernel/http/query'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { Includable } from '../responses/schema.ts'
import { ShownItem } from './items/schema.ts'
import {
  ConversationDeleted,
  ConversationObject,
  ConversationParams,
  CreateConversation,
  CreateItems,
  ItemParams,
  UpdateConversation,
} from './schema.ts'
import type { Conversations } from './service.ts'

const maxLimit = 100
const defaultLimit = 20
const path = '/v1/conversations/:conversation_id'
const itemPath = `${path}/items/:item_id`
const include = stringsParam(Includable)

export const conversationRoutes = (conversations: Conversations) => [
  defineRoute({
    method: 'POST',
    path: '/v1/conversations',
    auth: 'project',
    summary: 'Create a conversation',
    body: CreateConversation,
    takesLargeJson: true,
    response: ConversationObject,
    handler: ({ caller, body }) => conversations.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path,
    auth: 'project',
    summary: 'Retrieve a conversation, or a thread as one',
    params: ConversationParams,
    response: ConversationObject,
    handler: ({ caller, params }) => conversations.get(caller, params.conversation_id),
  }),
  defineRoute({
    method: 'POST',
    path,
    auth: 'project',
    summary: 'Change the metadata of a conversation',
    params: ConversationParams,
    body: UpdateConversation,
    response: ConversationObject,
    handler: ({ caller, params, body }) => conversations.update(caller, params.conversation_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    auth: 'project',
    summary: 'Delete a conversation',
    params: ConversationParams,
    response: ConversationDeleted,
    handler: async ({ caller, params: { conversation_id: id } }) => {
      await conversations.delete(caller, id)
      return { id, object: 'conversation.deleted' as const, deleted: true as const }
    },
  }),
  ...itemRoutes(conversations),
]

const itemRoutes = (conversations: Conversations) => [
  defineRoute({
    method: 'POST',
    path: `${path}/items`,
    auth: 'project',
    summary: 'Add items to a conversation',
    params: ConversationParams,
    query: z.strictObject({ include }),
    body: CreateItems,
    takesLargeJson: true,
    response: listOf(ShownItem),
    handler: ({ caller, params, body }) => conversations.addItems(caller, params.conversation_id, body.items),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/items`,
    auth: 'project',
    summary: 'List the items of a conversation',
    params: ConversationParams,
    query: pageQuery({ maxLimit, defaultLimit }).extend({ include }),
    response: listOf(ShownItem),
    handler: ({ caller, params, query }) => conversations.listItems(caller, params.conversation_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: itemPath,
    auth: 'project',
    summary: 'Retrieve an item of a conversation',
    params: ItemParams,
    query: z.strictObject({ include }),
    response: ShownItem,
    handler: ({ caller, params, query }) =>
      conversations.getItem(caller, params.conversation_id, params.item_id, query.include),
  }),
  defineRoute({
    method: 'DELETE',
    path: itemPath,
    auth: 'project',
    summary: 'Delete an item of a conversation',
    params: ItemParams,
    response: ConversationObject,
    handler: ({ caller, params }) => conversations.deleteItem(caller, params.conversation_id, params.item_id),
  }),
]

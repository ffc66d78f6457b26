// Conversations: threads as later clients know them.
import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { InputItem } from './items/schema.ts'

const maxItemsAtOnce = 1000

export const NewItems = z.array(InputItem).max(maxItemsAtOnce)

export const CreateConversation = z.strictObject({
  items: NewItems.nullish(),
  metadata: Metadata.nullish(),
})
export type CreateConversation = z.output<typeof CreateConversation>

export const UpdateConversation = z.strictObject({ metadata: Metadata.nullable() })
export type UpdateConversation = z.output<typeof UpdateConversation>

export const CreateItems = z.strictObject({ items: NewItems.min(1) })
export type CreateItems = z.output<typeof CreateItems>

export const ConversationObject = z.object({
  id: z.string(),
  object: z.literal('conversation'),
  created_at: z.int(),
  metadata: Metadata,
})
export type ConversationObject = z.output<typeof ConversationObject>

export const ConversationDeleted = z.object({
  id: z.string(),
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
})

export const ConversationParams = z.strictObject({ conversation_id: z.string() })
export const ItemParams = z.strictObject({ conversation_id: z.string(), item_id: z.string() })

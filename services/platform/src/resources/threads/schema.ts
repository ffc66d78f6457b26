// Threads: conversations that assistants work on.
import { z } from 'zod'
import { ToolResources, ToolResourcesInput } from '../assistants/schema.ts'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { CreateMessage } from './messages/schema.ts'

export const maxInitialMessages = 1000

// AST-038
export const CreateThread = z.strictObject({
  messages: z.array(CreateMessage).max(maxInitialMessages).optional(),
  tool_resources: ToolResourcesInput.nullish(),
  metadata: Metadata.nullish(),
})
export type CreateThread = z.output<typeof CreateThread>

// AST-043
export const UpdateThread = z.strictObject({
  tool_resources: ToolResources.nullish(),
  metadata: Metadata.nullish(),
})
export type UpdateThread = z.output<typeof UpdateThread>

export const ThreadParams = z.strictObject({ thread_id: z.string() })

// AST-040 AST-041
export const ThreadObject = z.object({
  id: z.string(),
  object: z.literal('thread'),
  created_at: z.int(),
  tool_resources: ToolResources,
  metadata: Metadata,
})
export type ThreadObject = z.output<typeof ThreadObject>

// AST-044
export const ThreadDeleted = z.object({
  id: z.string(),
  object: z.literal('thread.deleted'),
  deleted: z.literal(true),
})
export type ThreadDeleted = z.output<typeof ThreadDeleted>

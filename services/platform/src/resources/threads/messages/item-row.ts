// The one table of items: what threads show as messages, and conversations and responses as items.
import type { IncompleteDetails, MessageStatus } from './schema.ts'

export interface MessageRow {
  id: string
  position: number
  thread_id: string
  created_at: number
  /** Of a message; of any other item, who made it. */
  role: 'user' | 'assistant' | 'system' | 'developer'
  status: MessageStatus
  /** JSON; empty where `item` has it. */
  content: string
  /** JSON. */
  attachments: string
  /** JSON. */
  metadata: string
  assistant_id: string | null
  run_id: string | null
  incomplete_reason: IncompleteDetails['reason'] | null
  completed_at: number | null
  incomplete_at: number | null
  /** Of the item: 'message', 'function_call' and so on. */
  type: string
  /** JSON: the item itself, where it came through conversations or responses. */
  item: string | null
  /** ItemWork, as JSON: what the model said and reads of a call, and nobody else. */
  work: string | null
  /** Of an item that belongs to a response: whether it was brought to it, or written by it. */
  source: 'input' | 'output' | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    messages: MessageRow
  }
}

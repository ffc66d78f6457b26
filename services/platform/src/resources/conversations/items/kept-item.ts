// An item with what the platform keeps beside it, and the row that holds both.
import { type Making, newObject } from '@atoll/kernel/ids/new-object'
import type { Passage, WrittenFile } from '../../../tool-loop/tools/hosted-tool.ts'
import type { MessageRow } from '../../threads/messages/item-row.ts'
import { present } from '../../threads/messages/message-row.ts'
import { itemOfMessage } from './message-content.ts'
import type { Given, InputItem, Item, MessageItem, Part } from './schema.ts'

/** Of a call of one of our tools: what the model wrote, and what it reads as the result. */
export interface ItemWork {
  /** Which answer of the response it belongs to, from 1; 0: done before the model was asked; see `approvedTurn`. */
  turn: number
  /** As the model knows it. */
  callId: string
  name: string
  arguments: string
  /** Absent: the call is still to be made. */
  output?: string
  passages?: Passage[]
  files?: WrittenFile[]
}

/** Of a call that the model has made in an earlier response, and that was approved since. */
export const approvedTurn = -1

export interface KeptItem {
  item: Item
  work?: ItemWork | undefined
}

const prefixes: Record<Item['type'], string> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  file_search_call: 'fs_',
  code_interpreter_call: 'ci_',
  image_generation_call: 'ig_',
  reasoning: 'rs_',
  mcp_list_tools: 'mcpl_',
  mcp_call: 'mcp_',
  mcp_approval_request: 'mcpr_',
  mcp_approval_response: 'mcpa_',
}

export const newItemId = (making: Making, type: Item['type']): string => newObject(making, prefixes[type]).id

/** What was sent, as an item of ours. Ids that came with it stay those of the items they were first given to. */
export function itemOf(making: Making, given: Exclude<InputItem, Given<'item_reference'>>): Item {
  const id = newItemId(making, given.type)
  if (given.type === 'message') return messageOf(id, given)
  if (given.type === 'function_call' || given.type === 'function_call_output') {
    return { ...given, id, status: given.status ?? 'completed' }
  }
  return { ...given, id }
}

function messageOf(id: string, { role, content, status, phase }: Given<'message'>): MessageItem {
  const parts = typeof content === 'string' ? [textOf(role, content)] : content.map((part) => completed(role, part))
  return {
    type: 'message',
    id,
    role,
    status: status ?? 'completed',
    content: parts,
    ...(phase == null ? {} : { phase }),
  }
}

const textOf = (role: MessageItem['role'], text: string): Part =>
  role === 'assistant' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'input_text', text }

function completed(role: MessageItem['role'], part: Part): Part {
  if (part.type === 'output_text')
    return { ...part, annotations: part.annotations ?? [], logprobs: part.logprobs ?? [] }
  if (part.type === 'input_image') return { ...part, detail: part.detail ?? 'auto' }
  return part.type === 'input_text' && role === 'assistant' ? textOf(role, part.text) : part
}

interface Place {
  /** The conversation it is kept in, or the response itself. */
  ownerId: string
  responseId: string | null
  source: 'input' | 'output' | null
}

export function rowOf(position: number, created_at: number, { item, work }: KeptItem, place: Place): MessageRow {
  const { status } = item as { status?: string | null }
  return {
    id: item.id,
    position,
    created_at,
    thread_id: place.ownerId,
    role: item.type === 'message' ? item.role : 'assistant',
    status: status === 'in_progress' || status === 'incomplete' ? status : 'completed',
    ...{ content: '', attachments: '[]', metadata: '{}', assistant_id: null, run_id: place.responseId },
    ...{ incomplete_reason: null, completed_at: created_at, incomplete_at: null },
    type: item.type,
    item: JSON.stringify(item),
    work: work === undefined ? null : JSON.stringify(work),
    source: place.source,
  }
}

export const keptOf = (row: MessageRow): KeptItem => ({
  item: row.item === null ? itemOfMessage(present(row)) : (JSON.parse(row.item) as Item),
  ...(row.work === null ? {} : { work: JSON.parse(row.work) as ItemWork }),
})

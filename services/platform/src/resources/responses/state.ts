// A response as far as it has come, and as callers see it.

import type { Answered } from '../../tool-loop/ask-model.ts'
import type { Failure } from '../../tool-loop/failure.ts'
import type { KeptItem } from '../conversations/items/kept-item.ts'
import type { Item } from '../conversations/items/schema.ts'
import type { IncompleteReason, includable, ResponseObject, ResponseStatus } from './schema.ts'
import type { ResponseSettings } from './settings.ts'

/** What the work has come to; kept with the response. */
export interface Progress {
  /** Answers of the model that are complete. */
  turns: number
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  reasoningTokens: number
  /** What really answered. */
  answeredBy: string | null
  error: Failure | null
  incomplete: IncompleteReason | null
  /** In the background: the last attempt that has kept something. */
  keptBy?: number
}

export const noProgress: Progress = {
  ...{ turns: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 },
  ...{ answeredBy: null, error: null, incomplete: null },
}

export const counted = (progress: Progress, answer: Omit<Answered, 'finish' | 'headers'>): Progress => ({
  ...progress,
  turns: progress.turns + 1,
  inputTokens: progress.inputTokens + answer.promptTokens,
  cachedTokens: progress.cachedTokens + answer.cachedTokens,
  outputTokens: progress.outputTokens + answer.completionTokens,
  reasoningTokens: progress.reasoningTokens + answer.reasoningTokens,
  answeredBy: answer.model ?? progress.answeredBy,
})

export interface ResponseHead {
  id: string
  created_at: number
  previous_id: string | null
  conversation_id: string | null
  settings: ResponseSettings
}

export interface ResponseState {
  status: ResponseStatus
  completed_at: number | null
  progress: Progress
  output: readonly KeptItem[]
}

export function presentResponse(head: ResponseHead, state: ResponseState): ResponseObject {
  const { model, include, sealedSecrets: _, ...settings } = head.settings
  const { status, progress, completed_at } = state
  const { error, incomplete, answeredBy } = progress
  const isOpen = status === 'queued' || status === 'in_progress'
  return {
    ...settings,
    id: head.id,
    object: 'response',
    created_at: head.created_at,
    completed_at,
    status,
    error,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    model: answeredBy ?? model,
    output: state.output.map(({ item }) => shownItem(isOpen ? item : ended(item), include)),
    previous_response_id: head.previous_id,
    conversation: head.conversation_id === null ? null : { id: head.conversation_id },
    usage: isOpen ? null : usageOf(progress),
  }
}

const usageOf = ({ inputTokens, cachedTokens, outputTokens, reasoningTokens }: Progress): ResponseObject['usage'] => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens,
})

/** What was under way when the response ended has come to nothing. */
const ended = (item: Item): Item =>
  (item as { status?: string | null }).status === 'in_progress' ? ({ ...item, status: 'incomplete' } as Item) : item

type Included = (typeof includable)[number]

/** What tools have found and printed is kept always, and shown to those who ask for it. */
export function shownItem(item: Item, include: readonly Included[]): Item {
  if (item.type === 'file_search_call' && !include.includes('file_search_call.results')) {
    return { ...item, results: null }
  }
  if (item.type === 'code_interpreter_call' && !include.includes('code_interpreter_call.outputs')) {
    return { ...item, outputs: null }
  }
  return item
}

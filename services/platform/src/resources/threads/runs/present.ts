// Runs as callers see them.
import type { AssistantObject } from '../../assistants/schema.ts'
import { isActive, type RunRow } from './run-rows.ts'
import type { CreateRun, CreateThreadAndRun, RequiredAction, RunError, RunObject } from './schema.ts'

/** What a run was created with, all overrides applied. */
export type RunSettings = Pick<
  RunObject,
  | 'model'
  | 'instructions'
  | 'tools'
  | 'tool_resources'
  | 'temperature'
  | 'top_p'
  | 'max_prompt_tokens'
  | 'max_completion_tokens'
  | 'truncation_strategy'
  | 'response_format'
  | 'tool_choice'
  | 'parallel_tool_calls'
>

export const settingsOf = (row: RunRow): RunSettings => JSON.parse(row.settings) as RunSettings

type Request = CreateRun & Pick<CreateThreadAndRun, 'tool_resources'>

export function runSettings(assistant: AssistantObject, request: Request): RunSettings {
  const instructions = request.instructions ?? assistant.instructions ?? ''
  const added = request.additional_instructions ?? ''
  return {
    model: request.model ?? assistant.model,
    instructions: instructions !== '' && added !== '' ? `${instructions}\n${added}` : instructions + added,
    tools: request.tools ?? assistant.tools,
    tool_resources: { ...assistant.tool_resources, ...request.tool_resources },
    temperature: request.temperature ?? assistant.temperature,
    top_p: request.top_p ?? assistant.top_p,
    max_prompt_tokens: request.max_prompt_tokens ?? null,
    max_completion_tokens: request.max_completion_tokens ?? null,
    truncation_strategy: {
      type: request.truncation_strategy?.type ?? 'auto',
      last_messages: request.truncation_strategy?.last_messages ?? null,
    },
    response_format: request.response_format ?? assistant.response_format,
    tool_choice: request.tool_choice ?? 'auto', // AST-066
    parallel_tool_calls: request.parallel_tool_calls ?? true,
  }
}

export function presentRun(row: RunRow): RunObject {
  const active = isActive(row)
  const { prompt_tokens, completion_tokens } = row
  return {
    id: row.id,
    object: 'thread.run',
    created_at: row.created_at,
    assistant_id: row.assistant_id,
    thread_id: row.thread_id,
    status: row.status,
    started_at: row.started_at,
    expires_at: active ? row.expires_at : null,
    cancelled_at: row.cancelled_at,
    failed_at: row.failed_at,
    completed_at: row.completed_at,
    required_action: row.required_action === null ? null : (JSON.parse(row.required_action) as RequiredAction),
    last_error: row.last_error === null ? null : (JSON.parse(row.last_error) as RunError),
    ...settingsOf(row),
    metadata: JSON.parse(row.metadata),
    incomplete_details: row.incomplete_reason === null ? null : { reason: row.incomplete_reason },
    usage: active ? null : { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  }
}

// Steps as callers see them.
import type { RunStepObject, StepDetails, StepError } from './schema.ts'
import type { StepRow } from './step-rows.ts'

export function presentStep(row: StepRow): RunStepObject {
  const details = JSON.parse(row.details) as StepDetails
  return {
    id: row.id,
    object: 'thread.run.step',
    created_at: row.created_at,
    run_id: row.run_id,
    assistant_id: row.assistant_id,
    thread_id: row.thread_id,
    type: details.type,
    status: row.status,
    cancelled_at: row.cancelled_at,
    completed_at: row.completed_at,
    expired_at: row.expired_at,
    failed_at: row.failed_at,
    last_error: row.last_error === null ? null : (JSON.parse(row.last_error) as StepError),
    step_details: details,
    usage: usageOf(row),
    metadata: {},
  }
}

function usageOf({ prompt_tokens, completion_tokens }: StepRow): RunStepObject['usage'] {
  if (prompt_tokens === null || completion_tokens === null) return null
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

/** What a search has found is shown only to those who ask for it. AST-090 */
export function withoutSearchContent(step: RunStepObject): RunStepObject {
  const { step_details: details } = step
  if (details.type !== 'tool_calls') return step
  const tool_calls = details.tool_calls.map((call) => {
    if (call.type !== 'file_search' || call.file_search.results === undefined) return call
    const results = call.file_search.results.map(({ content: _, ...result }) => result)
    return { ...call, file_search: { ...call.file_search, results } }
  })
  return { ...step, step_details: { ...details, tool_calls } }
}

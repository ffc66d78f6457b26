// The calls of a step, as it has recorded them.
import type { RequiredAction } from '../schema.ts'
import type { StepDetails, StepToolCall } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import type { StepWork } from '../steps/work.ts'

export const isCalls = (step: StepRow): boolean => (JSON.parse(step.details) as StepDetails).type === 'tool_calls'

export const workOf = (step: StepRow): StepWork => JSON.parse(step.work) as StepWork

export function callsOf(step: StepRow): StepToolCall[] {
  const details = JSON.parse(step.details) as StepDetails
  return details.type === 'tool_calls' ? details.tool_calls : []
}

/** What the caller has to do: the functions that have no output yet. AST-079 */
export function requiredAction(step: StepRow): RequiredAction {
  const tool_calls = callsOf(step).flatMap((call) => {
    if (call.type !== 'function' || call.function.output !== null) return []
    const { name, arguments: text } = call.function
    return [{ id: call.id, type: call.type, function: { name, arguments: text } }]
  })
  return { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls } }
}

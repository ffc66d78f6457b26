// Runs and their steps: from the first form of the interface to the second, and back.
import type { CreateRun, CreateThreadAndRun, RunObject, RunStatus } from '../threads/runs/schema.ts'
import type { RunStepObject, StepToolCall } from '../threads/runs/steps/schema.ts'
import { byCreation, filesOf } from './assistant-form.ts'
import { messageToV2, threadToV2 } from './message-form.ts'
import type { CreateRunV1, CreateThreadAndRunV1, RunStatusV1, RunStepV1, RunV1, StepToolCallV1 } from './run-schema.ts'
import { choiceToV1, choiceToV2, formatToV1, formatToV2, ifGiven, toolToV1, toolToV2 } from './tool-forms.ts'

export function runToV2({ additional_messages, ...request }: CreateRunV1): CreateRun {
  return {
    ...settingsToV2(request),
    additional_messages: ifGiven(additional_messages, (messages) => messages.map(messageToV2)),
  }
}

export function threadAndRunToV2({ thread, ...request }: CreateThreadAndRunV1): CreateThreadAndRun {
  return { ...settingsToV2(request), thread: ifGiven(thread, threadToV2) }
}

function settingsToV2<Request extends Pick<CreateRunV1, 'tools' | 'tool_choice' | 'response_format'>>(
  request: Request,
) {
  const { tools, tool_choice, response_format, ...same } = request
  return {
    ...same,
    tools: ifGiven(tools, (list) => list.map(toolToV2)),
    tool_choice: ifGiven(tool_choice, choiceToV2),
    response_format: ifGiven(response_format, formatToV2),
  }
}

export function runToV1(run: RunObject): RunV1 {
  const { tool_resources, parallel_tool_calls: _, status, tools, tool_choice, response_format, ...same } = run
  return {
    ...same,
    status: statusToV1(status),
    tools: tools.map(toolToV1),
    file_ids: byCreation(filesOf({ tool_resources })),
    tool_choice: choiceToV1(tool_choice),
    response_format: formatToV1(response_format),
  }
}

/**
 * A run whose tokens were used up is `completed`, and `incomplete_details` says why it is short. The description of the
 * first form prints `complete`, but its own list of states has no such word, and clients of that time poll without a
 * pause and without an end for any state they do not know.
 */
export const statusToV1 = (status: RunStatus): RunStatusV1 => (status === 'incomplete' ? 'completed' : status)

export function stepToV1({ step_details: details, ...same }: RunStepObject): RunStepV1 {
  if (details.type === 'message_creation') return { ...same, step_details: details }
  return { ...same, step_details: { type: 'tool_calls', tool_calls: details.tool_calls.map(callToV1) } }
}

/** What a search has found is never shown. */
const callToV1 = (call: StepToolCall): StepToolCallV1 =>
  call.type === 'file_search' ? { id: call.id, type: 'retrieval', retrieval: {} } : call

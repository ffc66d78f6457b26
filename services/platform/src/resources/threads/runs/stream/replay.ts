// The stream of a run as the database tells it: for readers on another node than the one that works on the run. The
// names and their order are those of the live stream; text comes in one piece.
import type { MessageObject } from '../../messages/schema.ts'
import type { RunRow } from '../run-rows.ts'
import type { StepDetails } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import { wholeCallDeltas } from './call-deltas.ts'
import {
  messageDelta,
  messageEvent,
  type RunEvent,
  runCreated,
  runReached,
  stepDelta,
  stepEvent,
  wholePart,
} from './events.ts'

export interface RunState {
  run: RunRow
  steps: StepRow[]
  /** Those the run has written, by id. */
  messages: Map<string, MessageObject>
}

export function replay({ run, steps, messages }: RunState): RunEvent[] {
  const queued = asItWas(run, 'queued')
  const events = [runCreated(queued), runReached(queued)]
  if (run.status === 'queued') return events
  if (run.started_at !== null) events.push(runReached(asItWas(run, 'in_progress')))
  for (const step of steps) events.push(...stepEvents(step, messages))
  if (run.status !== 'in_progress') events.push(runReached(run))
  return events
}

function stepEvents(step: StepRow, messages: Map<string, MessageObject>): RunEvent[] {
  const details = JSON.parse(step.details) as StepDetails
  const opened = openedStep(step, details)
  const events = [stepEvent('created', opened), stepEvent('in_progress', opened)]
  if (details.type === 'message_creation') {
    const message = messages.get(details.message_creation.message_id)
    if (message !== undefined) events.push(...messageEvents(message))
  } else {
    for (const [index, call] of details.tool_calls.entries()) {
      for (const delta of wholeCallDeltas(call, index)) events.push(stepDelta(step.id, [delta]))
    }
  }
  if (step.status !== 'in_progress') events.push(stepEvent(step.status, step))
  return events
}

function messageEvents(message: MessageObject): RunEvent[] {
  const opened: MessageObject = {
    ...message,
    status: 'in_progress',
    content: [],
    attachments: [],
    ...{ incomplete_details: null, completed_at: null, incomplete_at: null },
  }
  const events = [messageEvent('created', opened), messageEvent('in_progress', opened)]
  if (message.status === 'in_progress') return events
  const deltas = message.content.map((part, index) => messageDelta(message.id, wholePart(part, index)))
  return [...events, ...deltas, messageEvent(message.status, message)]
}

const asItWas = (run: RunRow, status: 'queued' | 'in_progress'): RunRow => ({
  ...run,
  status,
  // One that waits again, for its tools' outputs, has been at work before.
  started_at: status === 'queued' && run.status !== 'queued' ? null : run.started_at,
  ...{ required_action: null, last_error: null, incomplete_reason: null },
  ...{ cancelled_at: null, failed_at: null, completed_at: null },
})

function openedStep(step: StepRow, details: StepDetails): StepRow {
  const empty = details.type === 'tool_calls' ? { type: details.type, tool_calls: [] } : details
  return {
    ...step,
    status: 'in_progress',
    details: JSON.stringify(empty),
    ...{ last_error: null, prompt_tokens: null, completion_tokens: null },
    ...{ cancelled_at: null, completed_at: null, expired_at: null, failed_at: null },
  }
}

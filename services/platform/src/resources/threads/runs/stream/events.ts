// What readers of a run's stream are told: each name, and the object that comes with it.

import type { IndexedAnnotation } from '../../../../tool-loop/tools/annotation.ts'
import type { MessageContent, MessageObject } from '../../messages/schema.ts'
import type { ThreadObject } from '../../schema.ts'
import { presentRun } from '../present.ts'
import type { RunRow } from '../run-rows.ts'
import type { RunObject, RunStatus } from '../schema.ts'
import { presentStep } from '../steps/present.ts'
import type { RunStepObject, StepStatus } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'

export interface RunEvent {
  event: string
  data: RunEventData
}

export type RunEventData = ThreadObject | RunObject | RunStepObject | MessageObject | Delta | StreamError | '[DONE]'

/** Of a message or a step: only what is new. */
export interface Delta {
  id: string
  object: 'thread.message.delta' | 'thread.run.step.delta'
  delta: object
}

export interface StreamError {
  message: string
  type: string
  param: string | null
  code: string | null
}

export const threadCreated = (data: ThreadObject): RunEvent => ({ event: 'thread.created', data })

export const runCreated = (row: RunRow): RunEvent => ({ event: 'thread.run.created', data: presentRun(row) })

/** The run has reached the state it is in. */
export const runReached = (row: RunRow): RunEvent => ({ event: `thread.run.${row.status}`, data: presentRun(row) })

export const stepEvent = (name: 'created' | StepStatus, row: StepRow): RunEvent => ({
  event: `thread.run.step.${name}`,
  data: presentStep(row),
})

export const messageEvent = (name: 'created' | MessageObject['status'], data: MessageObject): RunEvent => ({
  event: `thread.message.${name}`,
  data,
})

/** A piece of a message's content; `index` is the part's place. AST-103 */
export type ContentDelta =
  | { index: number; type: 'text'; text: { value: string; annotations: IndexedAnnotation[] } }
  | { index: number; type: 'refusal'; refusal: string }
  | { index: number; type: 'image_file'; image_file: { file_id: string; detail?: string | undefined } }
  | { index: number; type: 'image_url'; image_url: { url: string; detail?: string | undefined } }

export const messageDelta = (id: string, content: ContentDelta): RunEvent => ({
  event: 'thread.message.delta',
  data: { id, object: 'thread.message.delta', delta: { content: [content] } },
})

/** The whole of a part as one delta. */
export function wholePart(part: MessageContent, index: number): ContentDelta {
  if (part.type !== 'text') return { index, ...part }
  const annotations = part.text.annotations.map((annotation, at) => ({ index: at, ...annotation }))
  return { index, type: 'text', text: { value: part.text.value, annotations } }
}

/** `calls` are pieces of the step's calls, each with its `index`. AST-104 */
export const stepDelta = (id: string, calls: object[]): RunEvent => ({
  event: 'thread.run.step.delta',
  data: {
    id,
    object: 'thread.run.step.delta',
    delta: { step_details: { type: 'tool_calls', tool_calls: calls } },
  },
})

export const streamDone: RunEvent = { event: 'done', data: '[DONE]' }

export const streamError = (message: string): RunEvent => ({
  event: 'error',
  data: { message, type: 'server_error', param: null, code: null },
})

/** A stream ends when the run does, or when it waits for the caller. */
export const endsStream = (status: RunStatus): boolean =>
  status !== 'queued' && status !== 'in_progress' && status !== 'cancelling'

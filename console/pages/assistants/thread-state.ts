// A thread as the page shows it: its messages and the steps of its runs, changed by the events of a run's stream.
import type { MessageObject, RunObject, RunStepObject } from '../../api/types.ts'

export interface ThreadState {
  messages: MessageObject[]
  steps: RunStepObject[]
  /** Code that a step is writing, by the step's id: it has none yet itself. */
  writing: Record<string, string>
  run: RunObject | undefined
}

export const emptyThread: ThreadState = { messages: [], steps: [], writing: {}, run: undefined }

type MessageDelta = {
  object: 'thread.message.delta'
  id: string
  delta: { content?: { index: number; type: string; text?: { value?: string } }[] }
}
type StepDelta = {
  object: 'thread.run.step.delta'
  id: string
  delta: { step_details?: { tool_calls?: { code_interpreter?: { input?: string } }[] } }
}

export type RunEvent = MessageObject | RunStepObject | RunObject | MessageDelta | StepDelta

export function after(state: ThreadState, event: RunEvent): ThreadState {
  switch (event.object) {
    case 'thread.message':
      return { ...state, messages: withOne(state.messages, event) }
    case 'thread.run.step':
      return { ...state, steps: withOne(state.steps, event) }
    case 'thread.run':
      return { ...state, run: event }
    case 'thread.message.delta':
      return { ...state, messages: state.messages.map((one) => (one.id === event.id ? grown(one, event) : one)) }
    case 'thread.run.step.delta':
      return { ...state, writing: { ...state.writing, [event.id]: (state.writing[event.id] ?? '') + codeOf(event) } }
    default:
      return state // events that later versions may have
  }
}

function withOne<Item extends { id: string }>(items: Item[], item: Item): Item[] {
  return items.some(({ id }) => id === item.id)
    ? items.map((one) => (one.id === item.id ? item : one))
    : [...items, item]
}

function grown(message: MessageObject, { delta }: MessageDelta): MessageObject {
  const content = [...message.content]
  for (const { index, type, text } of delta.content ?? []) {
    const before = content[index]
    if (type !== 'text') continue
    const value = (before?.type === 'text' ? before.text.value : '') + (text?.value ?? '')
    content[index] = { type: 'text', text: { value, annotations: [] } }
  }
  return { ...message, content }
}

const codeOf = ({ delta }: StepDelta): string =>
  (delta.step_details?.tool_calls ?? []).map(({ code_interpreter }) => code_interpreter?.input ?? '').join('')

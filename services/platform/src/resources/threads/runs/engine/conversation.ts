// What the model reads: instructions, the thread, and what this run has done so far.
import type { ChatMessage } from '@atoll/models/chat'
import type { MessageObject } from '../../messages/schema.ts'
import type { StepDetails, StepToolCall } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import type { CallResult, StepWork } from '../steps/work.ts'
import { plainText } from './history.ts'

export interface OwnMessage {
  message: ChatMessage
  /** The result of one of our tools: what stands last in it matters least. */
  canShrink: boolean
  /** What the run's own first search found: it is read before the question, not after it. */
  isContext?: boolean
}

/** From the parts of a conversation; of `thread` the oldest go first when there is no room. */
export interface Conversation {
  instructions: string
  thread: ChatMessage[]
  own: OwnMessage[]
}

/** What this run has said and done. `messages` are those it has written, by id. */
export function ownMessages(steps: readonly StepRow[], messages: ReadonlyMap<string, MessageObject>): OwnMessage[] {
  const own: OwnMessage[] = []
  let said: { turn: number; text: string } | undefined
  for (const step of steps) {
    const details = JSON.parse(step.details) as StepDetails
    if (said !== undefined && said.turn !== step.turn) own.push(saidAlone(said.text))
    if (details.type === 'message_creation') {
      const message = messages.get(details.message_creation.message_id)
      said = message?.status === 'completed' ? { turn: step.turn, text: plainText(message) } : undefined
      continue
    }
    own.push(...callMessages(step, details.tool_calls, said?.turn === step.turn ? said.text : null))
    said = undefined
  }
  return said === undefined ? own : [...own, saidAlone(said.text)]
}

const saidAlone = (text: string): OwnMessage => ({ message: { role: 'assistant', content: text }, canShrink: false })

function callMessages(step: StepRow, shown: readonly StepToolCall[], content: string | null): OwnMessage[] {
  const { calls, results } = JSON.parse(step.work) as StepWork
  if (calls.length === 0) return []
  if (step.turn === 0) return contextMessages(Object.entries(results))
  const outputs = calls.map(({ id }): OwnMessage => {
    const result = results[id]
    const call = shown.find((one) => one.id === id)
    const submitted = call?.type === 'function' ? call.function.output : null
    const output = result?.output ?? submitted ?? ''
    return { message: { role: 'tool', tool_call_id: id, content: output }, canShrink: result !== undefined }
  })
  return [{ message: { role: 'assistant', content, tool_calls: calls }, canShrink: false }, ...outputs]
}

/** Nothing found is nothing to read. */
const contextMessages = (results: [id: string, result: CallResult][]): OwnMessage[] =>
  results
    .filter(([, { passages }]) => passages.length > 0)
    .map(([tool_call_id, { output: content }]) => ({
      message: { role: 'tool', tool_call_id, content },
      canShrink: true,
      isContext: true,
    }))

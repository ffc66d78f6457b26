// What this run has said and done so far, as the model reads it.
import type { ToolCall } from '@atoll/models/chat'
import type { OwnMessage } from '../../../../tool-loop/conversation.ts'
import { asksSomething } from '../../../../tool-loop/question.ts'
import { queryOf } from '../../../../tool-loop/tools/passages/query-argument.ts'
import type { MessageObject } from '../../messages/schema.ts'
import type { StepDetails, StepToolCall } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import type { CallResult, StepWork } from '../steps/work.ts'
import { plainText } from './history.ts'

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
  if (step.turn === 0) return contextMessages(calls, results)
  const outputs = calls.map(({ id }): OwnMessage => {
    const result = results[id]
    const call = shown.find((one) => one.id === id)
    const submitted = call?.type === 'function' ? call.function.output : null
    const output = result?.output ?? submitted ?? ''
    return { message: { role: 'tool', tool_call_id: id, content: output }, canShrink: result !== undefined }
  })
  return [{ message: { role: 'assistant', content, tool_calls: calls }, canShrink: false }, ...outputs]
}

/** Who has asked for something that is not there is to be told so; a greeting needs no files. */
function contextMessages(calls: readonly ToolCall[], results: Readonly<Record<string, CallResult>>): OwnMessage[] {
  return calls.flatMap(({ id, function: { arguments: args } }): OwnMessage[] => {
    const result = results[id]
    if (result === undefined) return []
    const { output: content, passages } = result
    if (passages.length === 0 && !asksSomething(queryOf(args) ?? '')) return []
    return [{ message: { role: 'tool', tool_call_id: id, content }, canShrink: true, isContext: true }]
  })
}

// Calls of tools as readers of the stream get them: what is new since the last piece. Clients join strings, and match
// the items of lists by `index`.
import type { CodeOutput, StepToolCall } from '../steps/schema.ts'

/** The first piece says what kind of call it is. */
export function openingDelta(call: StepToolCall, index: number): object {
  const { id, type } = call
  if (call.type === 'function') {
    return { index, id, type, function: { name: call.function.name, arguments: '', output: null } }
  }
  if (call.type === 'file_search') return { index, id, type, file_search: {} }
  return { index, id, type, code_interpreter: { input: '', outputs: [] } }
}

export const argumentsDelta = (piece: string, index: number): object => ({
  index,
  type: 'function',
  function: { arguments: piece },
})

/** What `now` has that `before` had not; undefined when that is nothing. */
export function progressDelta(before: StepToolCall, now: StepToolCall, index: number): object | undefined {
  if (now.type !== 'code_interpreter' || before.type !== 'code_interpreter') return undefined
  const input = now.code_interpreter.input.slice(before.code_interpreter.input.length)
  const outputs = newOutputs(before.code_interpreter.outputs, now.code_interpreter.outputs)
  if (input === '' && outputs.length === 0) return undefined
  const code = { ...(input !== '' && { input }), ...(outputs.length > 0 && { outputs }) }
  return { index, type: 'code_interpreter', code_interpreter: code }
}

function newOutputs(before: readonly CodeOutput[], now: readonly CodeOutput[]): object[] {
  return now.flatMap((output, index): object[] => {
    const known = before[index]
    if (known === undefined) return [{ index, ...output }]
    if (output.type !== 'logs' || known.type !== 'logs' || output.logs === known.logs) return []
    return [{ index, type: 'logs', logs: output.logs.slice(known.logs.length) }]
  })
}

/** A call as a whole, in the pieces a live reader would have got. */
export function wholeCallDeltas(call: StepToolCall, index: number): object[] {
  const opening = openingDelta(call, index)
  if (call.type === 'function') return [opening, argumentsDelta(call.function.arguments, index)]
  if (call.type === 'file_search') return [opening]
  const empty = { ...call, code_interpreter: { input: '', outputs: [] } }
  const rest = progressDelta(empty, call, index)
  return rest === undefined ? [opening] : [opening, rest]
}

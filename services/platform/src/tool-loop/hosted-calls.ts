// Calls of our own tools: made one after the other, each written down before the next, so that a restart repeats none.
import type { ToolCall } from '@atoll/models/chat'
import { contextLengthOf } from './context-length.ts'
import type { CallOutcome, Loop } from './record.ts'

/** What the model may be given to read of one call, unless its context is known to be small. */
const maxOutputTokens = 16_000
const outputShare = 0.4

export async function makeCalls(loop: Loop): Promise<void> {
  const { record } = loop
  const calls = record.openCalls()
  if (calls.length === 0) return
  const contextLength = (await contextLengthOf(loop, loop)) ?? Number.POSITIVE_INFINITY
  const outputTokens = Math.min(maxOutputTokens, Math.floor(contextLength * outputShare))
  for (const call of calls) await record.writeResult(call, await makeCall(loop, call, outputTokens))
}

async function makeCall(
  { caller, model, tools, record, signal }: Loop,
  call: ToolCall,
  outputTokens: number,
): Promise<CallOutcome> {
  const { id: callId, function: asked } = call
  const found = tools.hosted(asked.name)
  if (found === undefined) return { output: `There is no tool named '${asked.name}'.`, passages: [], files: [] }
  const context = record.callContext(call)
  const given = { ...context, caller, model, tool: found.tool, callId, outputTokens, signal }
  const outcome = await found.hosted.call(given, asked.arguments)
  context.progress(outcome.call)
  return outcome
}

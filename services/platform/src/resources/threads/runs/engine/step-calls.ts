// The calls of a step: which are ours to make, what they have brought, and how a result is written down.
import type { ToolCall } from '@atoll/models/chat'
import type { LoopTools } from '../../../../tool-loop/loop-tools.ts'
import type { CallOutcome } from '../../../../tool-loop/record.ts'
import type { HostedCall, Passage, WrittenFile } from '../../../../tool-loop/tools/hosted-tool.ts'
import type { StepDetails, StepToolCall } from '../steps/schema.ts'
import { changeStep, type StepRow } from '../steps/step-rows.ts'
import type { CallResult, StepWork } from '../steps/work.ts'
import { progressDelta } from '../stream/call-deltas.ts'
import { type RunEvent, stepDelta, stepEvent } from '../stream/events.ts'
import type { Ledger } from './ledger.ts'
import { callsOf, workOf } from './recorded-calls.ts'

/** All that searches and code of this run have brought so far. */
export function sourcesOf(steps: readonly StepRow[]): { passages: Passage[]; files: WrittenFile[] } {
  const results = steps.flatMap((step) => Object.values(workOf(step).results))
  return { passages: results.flatMap(({ passages }) => passages), files: results.flatMap(({ files }) => files) }
}

/** Calls of the step that still need a result from us. */
export function openCalls(step: StepRow, tools: LoopTools): ToolCall[] {
  const { calls, results } = workOf(step)
  return calls.filter(({ id, function: { name } }) => results[id] === undefined && !tools.hasFunction(name))
}

/** Tells readers what is new of a call. */
export function callProgress(ledger: Ledger, step: StepRow, { id }: ToolCall): (call: HostedCall) => void {
  const calls = callsOf(step)
  const index = calls.findIndex((call) => call.id === id)
  let shown = calls[index]
  return (call) => {
    if (call.type === 'image_generation' || call.type === 'mcp') return
    const delta = shown && progressDelta(shown, call, index)
    shown = call
    if (delta !== undefined) ledger.tell(stepDelta(step.id, [delta]))
  }
}

/** The step is complete when none of its calls is left. */
export async function writeResult(
  ledger: Ledger,
  step: StepRow,
  { id }: ToolCall,
  outcome: CallOutcome,
): Promise<void> {
  const work: StepWork = workOf(step)
  const details = JSON.parse(step.details) as Extract<StepDetails, { type: 'tool_calls' }>
  const { output, passages, files } = outcome
  const results: Record<string, CallResult> = { ...work.results, [id]: { output, passages, files } }
  const { call: told } = outcome
  const made = told?.type === 'image_generation' || told?.type === 'mcp' ? undefined : told
  const shown = details.tool_calls.map((call) => (call.id === id ? (made ?? withOutput(call, output)) : call))
  await ledger.write({}, async (tx, now) => {
    await outcome.keepIn?.(tx)
    const isLast = work.calls.every((call) => results[call.id] !== undefined)
    const written = await changeStep(tx, step.id, {
      work: JSON.stringify({ ...work, results }),
      details: JSON.stringify({ ...details, tool_calls: shown }),
      ...(isLast ? { status: 'completed' as const, completed_at: now } : {}),
    })
    const events: RunEvent[] = isLast ? [stepEvent('completed', written)] : []
    return { steps: [written], events }
  })
}

const withOutput = (call: StepToolCall, output: string): StepToolCall =>
  call.type === 'function' ? { ...call, function: { ...call.function, output } } : call

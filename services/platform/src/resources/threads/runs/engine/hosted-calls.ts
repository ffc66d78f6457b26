// Calls of our own tools: made one after the other, each written down before the next, so that a restart repeats none.
import type { ToolCall } from '@atoll/models/chat'
import type { StepDetails, StepToolCall } from '../steps/schema.ts'
import { changeStep, type StepRow } from '../steps/step-rows.ts'
import type { CallResult, StepWork } from '../steps/work.ts'
import { progressDelta } from '../stream/call-deltas.ts'
import { type RunEvent, stepDelta, stepEvent } from '../stream/events.ts'
import type { Passage, ToolOutcome, WrittenFile } from '../tools/hosted-tool.ts'
import type { Ledger } from './ledger.ts'
import type { RunTools } from './run-tools.ts'
import type { RunWork } from './run-work.ts'

/** What the model may be given to read of one call, unless its context is known to be small. */
const maxOutputTokens = 16_000
const outputShare = 0.4

export interface CallOptions {
  ledger: Ledger
  tools: RunTools
  work: RunWork
  /** Of the model; undefined when it has not told. */
  contextLength: number | undefined
  signal: AbortSignal
}

/** All that searches and code of this run have brought so far. */
export function sourcesOf(steps: readonly StepRow[]): { passages: Passage[]; files: WrittenFile[] } {
  const results = steps.flatMap((step) => Object.values((JSON.parse(step.work) as StepWork).results))
  return { passages: results.flatMap(({ passages }) => passages), files: results.flatMap(({ files }) => files) }
}

/** Calls of the step that still need a result from us. */
export function openCalls(step: StepRow, tools: RunTools): ToolCall[] {
  const { calls, results } = JSON.parse(step.work) as StepWork
  return calls.filter(({ id, function: { name } }) => results[id] === undefined && !tools.hasFunction(name))
}

/** Makes the calls; the step is complete when none is left for the caller to make. */
export async function makeCalls(step: StepRow, options: CallOptions): Promise<void> {
  const { ledger, tools } = options
  let current = step
  for (const call of openCalls(step, tools)) {
    const outcome = await makeCall(current, call, options)
    current = await writeResult(ledger, current, call, outcome)
  }
}

type Outcome = Omit<ToolOutcome, 'call' | 'keepIn'> & {
  /** Absent: the step shows it as it is. */
  call?: StepToolCall
  keepIn?: ToolOutcome['keepIn']
}

async function makeCall(step: StepRow, { id, function: asked }: ToolCall, options: CallOptions): Promise<Outcome> {
  const { ledger, tools, work, contextLength, signal } = options
  const found = tools.hosted(asked.name)
  if (found === undefined) return { output: `There is no tool named '${asked.name}'.`, passages: [], files: [] }
  const { tool_calls } = JSON.parse(step.details) as Extract<StepDetails, { type: 'tool_calls' }>
  const index = tool_calls.findIndex((call) => call.id === id)
  let shown = tool_calls[index]
  const { caller, settings, threadResources, attachedFileIds } = work
  const { id: runId, thread_id: threadId, assistant_id: assistantId } = ledger.run
  const progress = (call: StepToolCall): void => {
    const delta = shown && progressDelta(shown, call, index)
    shown = call
    if (delta !== undefined) ledger.tell(stepDelta(step.id, [delta]))
  }
  const outcome = await found.hosted.call(
    {
      ...{ caller, runId, threadId, assistantId, model: settings.model, tool: found.tool },
      assistantResources: settings.tool_resources,
      ...{ threadResources, attachedFileIds, callId: id, signal, progress },
      found: sourcesOf(ledger.steps).passages,
      outputTokens: Math.min(maxOutputTokens, Math.floor((contextLength ?? Number.POSITIVE_INFINITY) * outputShare)),
    },
    asked.arguments,
  )
  progress(outcome.call)
  return outcome
}

async function writeResult(ledger: Ledger, step: StepRow, { id }: ToolCall, outcome: Outcome): Promise<StepRow> {
  const work = JSON.parse(step.work) as StepWork
  const details = JSON.parse(step.details) as Extract<StepDetails, { type: 'tool_calls' }>
  const { output, passages, files } = outcome
  const results: Record<string, CallResult> = { ...work.results, [id]: { output, passages, files } }
  const shown = details.tool_calls.map((call) => (call.id === id ? (outcome.call ?? withOutput(call, output)) : call))
  let written = step
  await ledger.write({}, async (tx, now) => {
    await outcome.keepIn?.(tx)
    const isLast = work.calls.every((call) => results[call.id] !== undefined)
    written = await changeStep(tx, step.id, {
      work: JSON.stringify({ ...work, results }),
      details: JSON.stringify({ ...details, tool_calls: shown }),
      ...(isLast ? { status: 'completed' as const, completed_at: now } : {}),
    })
    const events: RunEvent[] = isLast ? [stepEvent('completed', written)] : []
    return { steps: [written], events }
  })
  return written
}

const withOutput = (call: StepToolCall, output: string): StepToolCall =>
  call.type === 'function' ? { ...call, function: { ...call.function, output } } : call

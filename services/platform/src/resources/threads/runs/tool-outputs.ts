// The outputs of the caller's functions, all in one request. AST-081, AST-082
import type { Tx } from '@atoll/kernel/db/database'
import { runErrors } from '../../../errors/runs.ts'
import { changeRun, findRun, type RunRow } from './run-rows.ts'
import type { RequiredAction, SubmitToolOutputs } from './schema.ts'
import type { StepDetails } from './steps/schema.ts'
import { changeStep, openSteps, type StepRow } from './steps/step-rows.ts'

export interface Accepted {
  run: RunRow
  /** With the outputs, complete. */
  step: StepRow
}

export async function acceptOutputs(
  tx: Tx,
  runId: string,
  outputs: SubmitToolOutputs['tool_outputs'],
  now: number,
): Promise<Accepted> {
  const before = await findRun(tx, runId)
  if (before === undefined) throw runErrors.noSuchRun(runId)
  if (before.status !== 'requires_action') throw runErrors.noOutputsWanted(before.status)
  checkIds(before, outputs)
  const change = { status: 'queued' as const, required_action: null }
  const run = await changeRun(tx, runId, ['requires_action'], change)
  const [open] = await openSteps(tx, runId)
  if (run === undefined || open === undefined) throw runErrors.noOutputsWanted(before.status)
  const details = JSON.stringify(withOutputs(JSON.parse(open.details) as StepDetails, outputs))
  const step = await changeStep(tx, open.id, { details, status: 'completed', completed_at: now })
  return { run, step }
}

function checkIds({ required_action }: RunRow, outputs: SubmitToolOutputs['tool_outputs']): void {
  const action = JSON.parse(required_action ?? 'null') as RequiredAction | null
  const expected = action?.submit_tool_outputs.tool_calls.map(({ id }) => id) ?? []
  const got = outputs.map(({ tool_call_id }) => tool_call_id)
  const isSame = expected.length === got.length && expected.every((id) => got.includes(id))
  if (!isSame) throw runErrors.wrongOutputs(expected, got)
}

function withOutputs(details: StepDetails, outputs: SubmitToolOutputs['tool_outputs']): StepDetails {
  if (details.type !== 'tool_calls') return details
  const tool_calls = details.tool_calls.map((call) => {
    const given = outputs.find(({ tool_call_id }) => tool_call_id === call.id)
    return call.type === 'function' && given !== undefined
      ? { ...call, function: { ...call.function, output: given.output } }
      : call
  })
  return { ...details, tool_calls }
}

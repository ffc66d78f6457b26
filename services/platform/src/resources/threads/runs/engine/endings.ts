// How a run ends, and what is still open in it with it.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { FinishedMessage, Messages } from '../../messages/service.ts'
import { activeStatuses, changeRun, type RunRow } from '../run-rows.ts'
import type { IncompleteReason, RunError, RunStatus } from '../schema.ts'
import type { StepDetails, StepError } from '../steps/schema.ts'
import { changeStep, openSteps, type StepRow } from '../steps/step-rows.ts'
import { messageEvent, type RunEvent, runReached, stepEvent } from '../stream/events.ts'
import type { RunHub } from '../stream/hub.ts'

export type Ending =
  | { status: 'completed' }
  | { status: 'failed'; error: RunError }
  | { status: 'incomplete'; reason: IncompleteReason }
  | { status: 'cancelled' }
  | { status: 'expired' }

export interface EndingParts {
  clock: Clock
  messages: Pick<Messages, 'finishIn'>
  hub: RunHub
}

export interface EndOptions {
  /** The run must be in one of these. */
  from?: readonly RunStatus[]
  change?: Partial<RunRow>
  /** What was written of a message so far, by its id. */
  drafts?: ReadonlyMap<string, Pick<FinishedMessage, 'content' | 'attachments'>>
  /** The message is whole, whatever becomes of the run. */
  isWhole?: boolean
  /** Of the last step. */
  usage?: Pick<StepRow, 'prompt_tokens' | 'completion_tokens'> | undefined
}

/** Undefined, and nothing is changed, when the run has ended already. */
export async function endRunIn(
  tx: Tx,
  parts: EndingParts,
  runId: string,
  ending: Ending,
  options: EndOptions = {},
): Promise<RunEvent[] | undefined> {
  const now = unixSeconds(parts.clock)
  const change = { ...options.change, ...runChange(ending, now) }
  const [run, open] = await together([
    changeRun(tx, runId, options.from ?? activeStatuses, change),
    openSteps(tx, runId),
  ])
  if (run === undefined) return undefined
  const events: RunEvent[] = []
  for (const step of open) {
    const usage = step === open.at(-1) ? options.usage : undefined
    events.push(...(await closeStep(tx, parts, step, ending, now, { ...options, usage })))
  }
  await parts.hub.announce(tx, runId, run.status)
  return [...events, runReached(run)]
}

function runChange(ending: Ending, now: number): Partial<RunRow> {
  const { status } = ending
  const ended = { status, required_action: null }
  switch (status) {
    case 'completed':
      return { ...ended, completed_at: now }
    case 'failed':
      return { ...ended, failed_at: now, last_error: JSON.stringify(ending.error) }
    case 'cancelled':
      return { ...ended, cancelled_at: now }
    case 'incomplete':
      return { ...ended, completed_at: now, incomplete_reason: ending.reason }
    case 'expired':
      return ended
  }
}

async function closeStep(
  tx: Tx,
  { messages }: EndingParts,
  step: StepRow,
  ending: Ending,
  now: number,
  { drafts, usage, isWhole }: EndOptions,
): Promise<RunEvent[]> {
  const details = JSON.parse(step.details) as StepDetails
  const finishMessage = async ({ message_id }: { message_id: string }): Promise<RunEvent[]> => {
    const draft = drafts?.get(message_id) ?? { content: [] }
    const end = messageEnd(isWhole ? { status: 'completed' } : ending)
    const message = await messages.finishIn(tx, message_id, { ...draft, ...end })
    return [messageEvent(message.status, message)]
  }
  const [events, closed] = await together([
    details.type === 'message_creation' ? finishMessage(details.message_creation) : [],
    changeStep(tx, step.id, {
      ...stepEnd(details, ending, now),
      prompt_tokens: usage?.prompt_tokens ?? step.prompt_tokens ?? 0,
      completion_tokens: usage?.completion_tokens ?? step.completion_tokens ?? 0,
    }),
  ])
  return [...events, stepEvent(closed.status, closed)]
}

function messageEnd({ status }: Ending): Pick<FinishedMessage, 'status' | 'incomplete_details'> {
  if (status === 'completed') return { status }
  const reason = status === 'incomplete' ? 'max_tokens' : (`run_${status}` as const)
  return { status: 'incomplete', incomplete_details: { reason } }
}

function stepEnd(details: StepDetails, ending: Ending, now: number): Partial<StepRow> {
  switch (ending.status) {
    case 'completed':
      return { status: 'completed', completed_at: now }
    case 'cancelled':
      return { status: 'cancelled', cancelled_at: now }
    case 'expired':
      return { status: 'expired', expired_at: now }
    case 'failed':
      return { status: 'failed', failed_at: now, last_error: JSON.stringify(stepError(ending.error)) }
    case 'incomplete':
      // A message that was cut off is there all the same; calls that were cut off cannot be made.
      return details.type === 'message_creation'
        ? { status: 'completed', completed_at: now }
        : { status: 'cancelled', cancelled_at: now }
  }
}

/** Steps know fewer codes than runs. */
const stepError = ({ code, message }: RunError): StepError => ({
  code: code === 'rate_limit_exceeded' ? code : 'server_error',
  message,
})

// A run with files to search begins with a search for what the user has asked: small models seldom think of it.

import { hasFiles, maxQueryLetters } from '../../../../tool-loop/first-search.ts'
import type { LoopTools } from '../../../../tool-loop/loop-tools.ts'
import { insertStep, type StepRow } from '../steps/step-rows.ts'
import type { StepWork } from '../steps/work.ts'
import { openingDelta } from '../stream/call-deltas.ts'
import { stepDelta, stepEvent } from '../stream/events.ts'
import { CallDrafts } from './call-drafts.ts'
import type { Ledger } from './ledger.ts'
import type { RunWork } from './run-work.ts'
import type { WorkParts } from './work-parts.ts'

/** Opens the step of that search, when there is to be one. */
export async function beginWithSearch(
  parts: WorkParts,
  ledger: Ledger,
  { work, tools }: { work: RunWork; tools: LoopTools },
): Promise<StepRow | undefined> {
  const name = tools.hostedOf('file_search')?.definition.name
  const isFirst = ledger.run.turns === 0 && ledger.steps.length === 0
  const query = work.question.slice(0, maxQueryLetters).toWellFormed()
  if (name === undefined || !isFirst || query === '' || !letsSearch(work.settings.tool_choice)) return undefined
  const stores = [work.settings.tool_resources, work.threadResources].flatMap(
    ({ file_search }) => file_search?.vector_store_ids ?? [],
  )
  if (!(await hasFiles(parts.vectorStores, work.caller, stores))) return undefined
  const drafts = new CallDrafts(parts.ids, () => 'file_search')
  drafts.add({ index: 0, function: { name, arguments: JSON.stringify({ query }) } })
  const opened = ledger.newStep(0, { type: 'tool_calls', tool_calls: [] })
  const stepWork: StepWork = { calls: drafts.calls(), results: {} }
  const details = { type: 'tool_calls' as const, tool_calls: drafts.shown() }
  const usage = { prompt_tokens: 0, completion_tokens: 0 }
  const step = { ...opened, ...usage, work: JSON.stringify(stepWork), details: JSON.stringify(details) }
  const deltas = drafts.shown().map((call, index) => stepDelta(step.id, [openingDelta(call, index)]))
  await ledger.write({}, async (tx) => {
    await insertStep(tx, step)
    const events = [stepEvent('created', opened), stepEvent('in_progress', opened), ...deltas]
    return { steps: [step], events }
  })
  return step
}

const letsSearch = (choice: RunWork['settings']['tool_choice']): boolean =>
  choice === 'auto' || choice === 'required' || (typeof choice === 'object' && choice.type === 'file_search')

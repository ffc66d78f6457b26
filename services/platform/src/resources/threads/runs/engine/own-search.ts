// A run with files to search begins with a search for what the user has asked: small models seldom think of it.

import { HttpError } from '@atoll/kernel/http/error'
import type { ProjectCaller } from '../../../../callers.ts'
import { insertStep, type StepRow } from '../steps/step-rows.ts'
import type { StepWork } from '../steps/work.ts'
import { openingDelta } from '../stream/call-deltas.ts'
import { stepDelta, stepEvent } from '../stream/events.ts'
import { CallDrafts } from './call-drafts.ts'
import type { Ledger } from './ledger.ts'
import type { RunTools } from './run-tools.ts'
import type { RunWork } from './run-work.ts'
import type { WorkParts } from './work-parts.ts'

const maxQueryLetters = 4_000

/** Opens the step of that search, when there is to be one. */
export async function beginWithSearch(
  parts: WorkParts,
  ledger: Ledger,
  { work, tools }: { work: RunWork; tools: RunTools },
): Promise<StepRow | undefined> {
  const name = tools.hostedOf('file_search')?.definition.name
  const isFirst = ledger.run.turns === 0 && ledger.steps.length === 0
  const query = work.question.slice(0, maxQueryLetters).toWellFormed()
  if (name === undefined || !isFirst || query === '' || !letsSearch(work.settings.tool_choice)) return undefined
  if (!(await hasFiles(parts, work))) return undefined
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

async function hasFiles({ vectorStores }: WorkParts, { caller, settings, threadResources }: RunWork): Promise<boolean> {
  const ids = [settings.tool_resources, threadResources].flatMap(
    ({ file_search }) => file_search?.vector_store_ids ?? [],
  )
  const counts = await Promise.all(ids.map((id) => countFiles(vectorStores, caller, id)))
  return counts.some((count) => count > 0)
}

async function countFiles(stores: WorkParts['vectorStores'], caller: ProjectCaller, id: string): Promise<number> {
  try {
    const store = await stores.get(caller, id)
    // One that has expired is searched too: the run fails, and says why.
    return store.status === 'expired' ? 1 : store.file_counts.total
  } catch (error) {
    // A store that was deleted has nothing to search.
    if (error instanceof HttpError && error.status === 404) return 0
    throw error
  }
}

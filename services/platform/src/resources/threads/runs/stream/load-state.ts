// All there is of a run, for a reader that has missed how it came about.
import type { Queries } from '@atoll/kernel/db/database'
import type { Messages } from '../../messages/service.ts'
import { findRun } from '../run-rows.ts'
import { stepsOf } from '../steps/step-rows.ts'
import type { RunState } from './replay.ts'

export async function loadState(
  queries: Queries,
  messages: Pick<Messages, 'list'>,
  runId: string,
): Promise<RunState | undefined> {
  // The run first: what is read after it can only be newer, and will be announced.
  const run = await findRun(queries, runId)
  if (run === undefined) return undefined
  const steps = await stepsOf(queries, runId)
  const page = { limit: 100, order: 'asc' as const, run_id: runId }
  const { data } = await messages.list(JSON.parse(run.caller), run.thread_id, page)
  return { run, steps, messages: new Map(data.map((message) => [message.id, message])) }
}

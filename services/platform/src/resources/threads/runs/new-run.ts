// A run before it is there: its settings checked, its row made.
import { type Making, newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../../callers.ts'
import { runErrors } from '../../../errors/runs.ts'
import { toolName } from '../../assistants/schema.ts'
import type { RunSettings } from './present.ts'
import type { RunRow } from './run-rows.ts'
import type { CreateRun } from './schema.ts'

export const runLifetimeSeconds = 600

/** What spans several parameters, or the assistant's and the run's own. */
export function checkSettings({ tools, tool_choice: choice }: RunSettings): void {
  const names = tools.map(toolName)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw runErrors.repeatedFunction(repeated)
  if (choice === 'required' && tools.length === 0) throw runErrors.toolNotThere('tool at all')
  if (typeof choice !== 'object') return
  if (choice.type !== 'function') {
    if (!tools.some(({ type }) => type === choice.type)) throw runErrors.toolNotThere(`'${choice.type}'`)
    return
  }
  const { name } = choice.function
  const isThere = tools.some((tool) => tool.type === 'function' && tool.function.name === name)
  if (!isThere) throw runErrors.toolNotThere(`function named '${name}'`)
}

interface NewRun {
  caller: ProjectCaller
  threadId: string
  assistantId: string
  settings: RunSettings
  metadata: CreateRun['metadata']
}

export function newRunRow(making: Making, { caller, threadId, assistantId, settings, metadata }: NewRun): RunRow {
  const object = newObject(making, 'run_')
  return {
    ...object,
    project_id: caller.projectId,
    thread_id: threadId,
    assistant_id: assistantId,
    caller: JSON.stringify(caller),
    status: 'queued',
    settings: JSON.stringify(settings),
    metadata: JSON.stringify(metadata ?? {}),
    ...{ required_action: null, last_error: null, incomplete_reason: null },
    ...{ turns: 0, prompt_tokens: 0, completion_tokens: 0 },
    expires_at: object.created_at + runLifetimeSeconds,
    ...{ started_at: null, cancelled_at: null, failed_at: null, completed_at: null },
  }
}

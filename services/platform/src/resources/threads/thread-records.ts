// Threads as their messages see them: who owns one, how full it is, what its tools use.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../callers.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import type { ToolResources } from '../assistants/schema.ts'
import * as store from './store.ts'

const maxMessages = 100_000

/** Of a store made for a thread: nobody takes care of it, so it goes a week after its last use. */
export const threadStoreExpiry = { anchor: 'last_active_at', days: 7 } as const

export type Thread = store.ThreadRow

/** Throws when the caller's project has no such thread. */
export async function findThread(queries: Queries, caller: ProjectCaller, id: string): Promise<Thread> {
  const row = await store.findThread(queries, caller.projectId, id)
  if (row === undefined) throw assistantErrors.noSuchThread(id)
  return row
}

export const toolResourcesOf = (thread: Thread): ToolResources => JSON.parse(thread.tool_resources)

export const setToolResources = (tx: Tx, threadId: string, resources: ToolResources): Promise<unknown> =>
  store.setToolResources(tx, threadId, JSON.stringify(resources))

/** Throws when the thread would be too full. */
export async function countMessages(tx: Tx, threadId: string, added: number): Promise<void> {
  if (!(await store.countMessages(tx, threadId, added, maxMessages))) throw assistantErrors.threadFull(maxMessages)
}

// Threads of a project, with the messages they start with.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { DeleteSome, Purge } from '@atoll/kernel/jobs/purge'
import type { ProjectCaller } from '../../callers.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import { settleToolResources, type ToolResourceParts } from '../assistants/tool-resources.ts'
import type { Messages } from './messages/service.ts'
import type { CreateThread, ThreadDeleted, ThreadObject, UpdateThread } from './schema.ts'
import * as store from './store.ts'
import { findThread, threadStoreExpiry, toolResourcesOf } from './thread-records.ts'

interface Parts extends ToolResourceParts {
  db: Database
  ids: Ids
  clock: Clock
  messages: Messages
  /** Of what belongs to threads. */
  purge: Purge
}

type DeletionHook = (tx: Tx, threadId: string) => Promise<unknown>

export class Threads {
  readonly #parts: Parts
  readonly #hooks: DeletionHook[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    parts.purge.add(parts.messages.deleteSome)
  }

  /** What else happens in the commit in which a thread goes, and what belongs to threads and follows them. */
  onDelete(hook: DeletionHook, ...deletions: DeleteSome[]): void {
    this.#hooks.push(hook)
    this.#parts.purge.add(...deletions)
  }

  create(caller: ProjectCaller, request: CreateThread): Promise<ThreadObject> {
    return this.#parts.db.transaction((tx) => this.createIn(tx, caller, request))
  }

  /** With its messages, or not at all. AST-039 */
  async createIn(tx: Tx, caller: ProjectCaller, request: CreateThread, prefix = 'thread_'): Promise<ThreadObject> {
    const { messages = [], metadata } = request
    const resources = await settleToolResources(this.#parts, tx, caller, request.tool_resources ?? {}, {
      expires_after: threadStoreExpiry,
    })
    const { id, created_at } = newObject(this.#parts, prefix)
    await store.insertThread(tx, {
      id,
      created_at,
      project_id: caller.projectId,
      tool_resources: JSON.stringify(resources),
      metadata: JSON.stringify(metadata ?? {}),
      message_count: 0,
    })
    if (messages.length > 0) await this.#parts.messages.createAllIn(tx, caller, id, messages)
    return present(await findThread(tx, caller, id)) // messages bring files along
  }

  get(caller: ProjectCaller, id: string): Promise<ThreadObject> {
    return this.getIn(this.#parts.db.queries, caller, id)
  }

  async getIn(queries: Queries, caller: ProjectCaller, id: string): Promise<ThreadObject> {
    return present(await findThread(queries, caller, id))
  }

  /** The resources of a tool that is named are replaced, those of the other stay. */
  async update(caller: ProjectCaller, id: string, request: UpdateThread): Promise<ThreadObject> {
    const { tool_resources, metadata } = request
    return this.#parts.db.transaction(async (tx) => {
      const before = await findThread(tx, caller, id)
      const named = await settleToolResources(this.#parts, tx, caller, tool_resources ?? {})
      const resources = tool_resources === null ? {} : { ...toolResourcesOf(before), ...named }
      const change = {
        tool_resources: JSON.stringify(resources),
        metadata: metadata === undefined ? before.metadata : JSON.stringify(metadata ?? {}),
      }
      await store.changeThread(tx, id, change)
      return present({ ...before, ...change })
    })
  }

  /** Messages go with it, and runs with their steps: for callers at once, since all of them are asked for by thread. */
  async delete(caller: ProjectCaller, id: string): Promise<ThreadDeleted> {
    await this.#parts.db.transaction(async (tx) => {
      const deleted = await store.deleteThread(tx, caller.projectId, id)
      if (deleted === undefined) throw assistantErrors.noSuchThread(id)
      for (const hook of this.#hooks) await hook(tx, id)
      await this.#parts.purge.purgeIn(tx, id, caller.projectId)
    })
    return { id, object: 'thread.deleted', deleted: true }
  }
}

const present = (row: store.ThreadRow): ThreadObject => ({
  id: row.id,
  object: 'thread',
  created_at: row.created_at,
  tool_resources: toolResourcesOf(row),
  metadata: JSON.parse(row.metadata),
})

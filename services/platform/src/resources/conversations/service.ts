// Conversations: the same rows as threads, so that either can be read, and gone on with, as the other.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { ProjectCaller } from '../../callers.ts'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { ifNotFound } from '../../errors/if-not-found.ts'
import { responseErrors } from '../../errors/responses.ts'
import { shownItem } from '../responses/state.ts'
import type { ActiveRuns } from '../threads/active-run.ts'
import type { ThreadObject } from '../threads/schema.ts'
import type { Threads } from '../threads/service.ts'
import { countMessages } from '../threads/thread-records.ts'
import type { InputItem, Item } from './items/schema.ts'
import type { Items } from './items/service.ts'
import type { ConversationObject, CreateConversation, UpdateConversation } from './schema.ts'

interface Parts {
  db: Database
  threads: Threads
  runs: ActiveRuns
  items: Items
}

type Include = Parameters<typeof shownItem>[1]

export class Conversations {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, { items, metadata }: CreateConversation): Promise<ConversationObject> {
    const { db, threads } = this.#parts
    const accepted = await this.#parts.items.accept(caller, items ?? [])
    return db.transaction(async (tx) => {
      const thread = await threads.createIn(tx, caller, { metadata }, 'conv_')
      const rows = await this.#parts.items.rowsOf(accepted, ownedBy(thread.id))
      if (rows.length > 0) await countMessages(tx, thread.id, rows.length)
      await this.#parts.items.insertIn(tx, rows)
      return present(thread)
    })
  }

  async get(caller: ProjectCaller, id: string): Promise<ConversationObject> {
    const thread = await this.#parts.threads.get(caller, id).catch(ifNotFound)
    if (thread === undefined) throw responseErrors.noSuchConversation(id)
    return present(thread)
  }

  async update(caller: ProjectCaller, id: string, { metadata }: UpdateConversation): Promise<ConversationObject> {
    await this.get(caller, id)
    return present(await this.#parts.threads.update(caller, id, { metadata: metadata ?? {} }))
  }

  /** Its items go with it, and runs on it. */
  async delete(caller: ProjectCaller, id: string): Promise<void> {
    await this.get(caller, id)
    await this.#parts.threads.delete(caller, id)
  }

  /** Throws when there is no such conversation, or a run is at work on it. */
  async check(caller: ProjectCaller, id: string): Promise<void> {
    await this.get(caller, id)
    await this.#checkIdle(this.#parts.db.queries, id)
  }

  /** Room for so many items, in the transaction that adds them. */
  async joinIn(tx: Tx, caller: ProjectCaller, id: string, items: number): Promise<void> {
    const thread = await this.#parts.threads.getIn(tx, caller, id).catch(ifNotFound)
    if (thread === undefined) throw responseErrors.noSuchConversation(id)
    await this.#checkIdle(tx, id)
    await countMessages(tx, id, items)
  }

  async addItems(caller: ProjectCaller, id: string, given: readonly InputItem[]): Promise<ListEnvelope<Item>> {
    const { db, items } = this.#parts
    const accepted = await items.accept(caller, given)
    const rows = await items.rowsOf(accepted, ownedBy(id))
    await db.transaction(async (tx) => {
      await this.joinIn(tx, caller, id, rows.length)
      await items.insertIn(tx, rows)
    })
    const data = accepted.map(({ item }) => item)
    const [first_id, last_id] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null]
    return { object: 'list', data, first_id, last_id, has_more: false }
  }

  async listItems(
    caller: ProjectCaller,
    id: string,
    { include = [], ...page }: PageQuery & { include?: Include | undefined },
  ): Promise<ListEnvelope<Item>> {
    await this.get(caller, id)
    return this.#parts.items.list(id, page, ({ item }) => shownItem(item, include))
  }

  async getItem(caller: ProjectCaller, id: string, itemId: string, include: Include = []): Promise<Item> {
    await this.get(caller, id)
    return shownItem((await this.#parts.items.get(id, itemId)).item, include)
  }

  async deleteItem(caller: ProjectCaller, id: string, itemId: string): Promise<ConversationObject> {
    const conversation = await this.get(caller, id)
    await this.#parts.db.transaction(async (tx) => {
      await this.#parts.items.deleteIn(tx, id, itemId)
      await countMessages(tx, id, -1)
    })
    return conversation
  }

  async #checkIdle(queries: Parameters<ActiveRuns['activeRun']>[1], id: string): Promise<void> {
    const runId = await this.#parts.runs.activeRun(id, queries)
    if (runId !== undefined) throw responseErrors.conversationBusy(id, runId)
  }
}

const ownedBy = (ownerId: string) => ({ ownerId, responseId: null, source: null })

const present = ({ id, created_at, metadata }: ThreadObject): ConversationObject => ({
  id,
  object: 'conversation',
  created_at,
  metadata,
})

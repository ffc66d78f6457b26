// Completions that callers asked to keep: listed, read, tagged, deleted. INF-043, INF-044
import type { Database } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { parseInTurns, stringifyInTurns } from '@atoll/kernel/http/json/json-in-turns'
import { listPosition } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import { chatErrors } from '../../../errors/completions.ts'
import type { ChatCompletion, StoredChatCompletion, StoredMessage } from './answer/schema.ts'
import type { RequestMessage } from './messages/schema.ts'
import type { Metadata } from './metadata/schema.ts'
import type { CreateChatCompletion } from './schema.ts'
import * as store from './store.ts'
import { type MessagePageQuery, messagePage } from './stored-messages.ts'

type Owner = Pick<ProjectCaller, 'projectId'>

export class StoredCompletions {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Durable once it returns. */
  async keep(owner: Owner, request: CreateChatCompletion, completion: ChatCompletion): Promise<void> {
    const tags = request.metadata ?? {}
    const row: store.ChatCompletionRow = {
      id: completion.id,
      position: listPosition(completion.id),
      project_id: owner.projectId,
      created_at: completion.created,
      model: completion.model,
      requested_model: request.model,
      metadata: JSON.stringify(tags),
      completion: JSON.stringify(completion),
      messages: await stringifyInTurns(request.messages),
    }
    await this.#db.transaction((tx) => store.insertCompletion(tx, row, tags))
  }

  async get(owner: Owner, id: string): Promise<StoredChatCompletion> {
    const row = await store.findCompletion(this.#db.queries, owner.projectId, id)
    if (row === undefined) throw chatErrors.noSuchCompletion(id)
    return present(row)
  }

  list(owner: Owner, filter: store.CompletionFilter, page: PageQuery): Promise<ListEnvelope<StoredChatCompletion>> {
    const find = (query: PageQuery) => store.listCompletions(this.#db.queries, owner.projectId, filter, query)
    return listPage(page, find, present)
  }

  async update(owner: Owner, id: string, metadata: Metadata): Promise<StoredChatCompletion> {
    const row = await this.#db.transaction((tx) => store.updateMetadata(tx, owner.projectId, id, metadata))
    if (row === undefined) throw chatErrors.noSuchCompletion(id)
    return present(row)
  }

  async delete(owner: Owner, id: string): Promise<void> {
    const deleted = await this.#db.transaction((tx) => store.deleteCompletion(tx, owner.projectId, id))
    if (!deleted) throw chatErrors.noSuchCompletion(id)
  }

  async messages(owner: Owner, id: string, page: MessagePageQuery): Promise<ListEnvelope<StoredMessage>> {
    const row = await store.findMessages(this.#db.queries, owner.projectId, id)
    if (row === undefined) throw chatErrors.noSuchCompletion(id)
    return messagePage(id, (await parseInTurns(row.messages)) as RequestMessage[], page)
  }
}

const present = (row: Pick<store.ChatCompletionRow, 'metadata' | 'completion'>): StoredChatCompletion => ({
  ...(JSON.parse(row.completion) as ChatCompletion),
  metadata: JSON.parse(row.metadata) as Metadata,
})

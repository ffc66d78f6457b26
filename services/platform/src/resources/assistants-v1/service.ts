// Assistants with files of their own, on top of those that know resources of tools: each file is for the code, and in a
// store made for the assistant, which callers of this form never see.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { ProjectCaller } from '../../callers.ts'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import { assistantV1Errors } from '../../errors/assistants-v1.ts'
import type { AssistantDeleted, AssistantObject, ToolResources } from '../assistants/schema.ts'
import type { Assistants } from '../assistants/service.ts'
import type { Files } from '../files/service.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import { assistantToV1, assistantToV2, filesOf, settingsToV2 } from './assistant-form.ts'
import { filePage } from './file-page.ts'
import {
  type AssistantFileDeleted,
  type AssistantFileObject,
  type AssistantV1,
  type CreateAssistantFile,
  type CreateAssistantV1,
  maxAssistantFiles,
  type UpdateAssistantV1,
} from './schema.ts'
import * as store from './store.ts'

interface Parts {
  db: Database
  assistants: Assistants
  files: Pick<Files, 'named'>
  vectorStores: VectorStores
}

export class AssistantsV1 {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.assistants.onDelete((tx, assistant, caller) => this.#deleteOwnStore(tx, assistant, caller))
  }

  async create(caller: ProjectCaller, request: CreateAssistantV1): Promise<AssistantV1> {
    const keepStore = async (tx: Tx, { id, tool_resources }: AssistantObject): Promise<void> => {
      const [storeId] = tool_resources.file_search?.vector_store_ids ?? []
      if (storeId !== undefined) await store.keepOwnStore(tx, { assistant_id: id, vector_store_id: storeId })
    }
    const made = await this.#parts.assistants.create(caller, assistantToV2(request), keepStore)
    return assistantToV1(made, () => true)
  }

  async get(caller: ProjectCaller, id: string): Promise<AssistantV1> {
    return this.#shown(caller, await this.#parts.assistants.get(caller, id))
  }

  async list(caller: ProjectCaller, page: PageQuery): Promise<ListEnvelope<AssistantV1>> {
    const found = await this.#parts.assistants.list(caller, page)
    const there = await this.#existing(caller, found.data.flatMap(filesOf))
    return { ...found, data: found.data.map((assistant) => assistantToV1(assistant, (id) => there.has(id))) }
  }

  /** `file_ids` replaces those it had; left out, they stay. */
  async update(caller: ProjectCaller, id: string, request: UpdateAssistantV1): Promise<AssistantV1> {
    const { file_ids } = request
    const change = file_ids && ((tx: Tx, before: AssistantObject) => this.#withFiles(tx, caller, before, file_ids))
    const updated = await this.#parts.assistants.update(caller, id, settingsToV2(request), change)
    return this.#shown(caller, updated)
  }

  /** With the store that was made for its files. AST-036 */
  delete(caller: ProjectCaller, id: string): Promise<AssistantDeleted> {
    return this.#parts.assistants.delete(caller, id)
  }

  /** One that is attached already stays as it is. */
  async attachFile(caller: ProjectCaller, id: string, request: CreateAssistantFile): Promise<AssistantFileObject> {
    const { file_id } = request
    await this.#changeFiles(caller, id, (before) => (before.includes(file_id) ? before : [...before, file_id]))
    return this.getFile(caller, id, file_id)
  }

  async getFile(caller: ProjectCaller, id: string, fileId: string): Promise<AssistantFileObject> {
    const files = await this.#filesOf(caller, id)
    const file = files.find((one) => one.id === fileId)
    if (file === undefined) throw assistantErrors.noSuchFile(fileId)
    return file
  }

  async listFiles(caller: ProjectCaller, id: string, page: PageQuery): Promise<ListEnvelope<AssistantFileObject>> {
    return filePage(await this.#filesOf(caller, id), page)
  }

  /** The file itself stays. AST-037 */
  async detachFile(caller: ProjectCaller, id: string, fileId: string): Promise<AssistantFileDeleted> {
    await this.#changeFiles(caller, id, (before) => {
      if (!before.includes(fileId)) throw assistantErrors.noSuchFile(fileId)
      return before.filter((one) => one !== fileId)
    })
    return { id: fileId, object: 'assistant.file.deleted', deleted: true }
  }

  async #shown(caller: ProjectCaller, assistant: AssistantObject): Promise<AssistantV1> {
    const there = await this.#existing(caller, filesOf(assistant))
    return assistantToV1(assistant, (id) => there.has(id))
  }

  async #existing(caller: ProjectCaller, fileIds: readonly string[], queries = this.#parts.db.queries) {
    return fileIds.length === 0 ? new Map<string, unknown>() : this.#parts.files.named(queries, caller, fileIds)
  }

  /** In the order in which they were attached. */
  async #filesOf(caller: ProjectCaller, id: string): Promise<AssistantFileObject[]> {
    const assistant = await this.#parts.assistants.get(caller, id)
    const ids = filesOf(assistant)
    const there = await this.#existing(caller, ids)
    const [storeId] = assistant.tool_resources.file_search?.vector_store_ids ?? []
    const times = storeId === undefined ? undefined : await this.#parts.vectorStores.attachedAt(caller, storeId, ids)
    return ids
      .filter((fileId) => there.has(fileId))
      .map((fileId) => ({
        id: fileId,
        object: 'assistant.file',
        created_at: times?.get(fileId) ?? assistant.created_at,
        assistant_id: id,
      }))
  }

  /** `change` is given those that were not deleted meanwhile. */
  #changeFiles(caller: ProjectCaller, id: string, change: (before: string[]) => string[]): Promise<AssistantObject> {
    return this.#parts.assistants.update(caller, id, {}, async (tx, assistant) => {
      const ids = filesOf(assistant)
      const there = await this.#existing(caller, ids, tx)
      return this.#withFiles(tx, caller, assistant, change(ids.filter((fileId) => there.has(fileId))))
    })
  }

  /** Both tools get these files, and lose the others. */
  async #withFiles(
    tx: Tx,
    caller: ProjectCaller,
    assistant: AssistantObject,
    sent: readonly string[],
  ): Promise<ToolResources> {
    const file_ids = [...new Set(sent)]
    if (file_ids.length > maxAssistantFiles) throw assistantV1Errors.tooManyFiles(maxAssistantFiles)
    const removed = filesOf(assistant).filter((id) => !file_ids.includes(id))
    const storeId = await this.#storeWith(tx, caller, assistant, { added: file_ids, removed })
    return {
      code_interpreter: { file_ids },
      ...(storeId !== undefined && { file_search: { vector_store_ids: [storeId] } }),
    }
  }

  /** The store that is searched; one is made when there is none, or it has expired. */
  async #storeWith(
    tx: Tx,
    caller: ProjectCaller,
    { id, tool_resources }: AssistantObject,
    { added, removed }: { added: string[]; removed: string[] },
  ): Promise<string | undefined> {
    const { vectorStores } = this.#parts
    const [storeId] = tool_resources.file_search?.vector_store_ids ?? []
    if (storeId === undefined || !(await vectorStores.isLive(caller, storeId, tx))) {
      if (added.length === 0) return storeId
      const made = await vectorStores.createIn(tx, caller, { file_ids: added })
      await store.keepOwnStore(tx, { assistant_id: id, vector_store_id: made.id })
      return made.id
    }
    const entries = added.map((fileId) => ({ fileId }))
    if (entries.length > 0) await vectorStores.attachFilesIn(tx, caller, storeId, entries)
    // A store that somebody else made may serve others too: nothing is taken from it.
    const own = await store.findOwnStore(tx, id)
    if (own?.vector_store_id === storeId) await vectorStores.detachFilesIn(tx, caller, storeId, removed)
    return storeId
  }

  async #deleteOwnStore(tx: Tx, { id, tool_resources }: AssistantObject, caller: ProjectCaller): Promise<void> {
    const own = await store.forgetOwnStore(tx, id)
    const isUsed = own && tool_resources.file_search?.vector_store_ids.includes(own.vector_store_id)
    if (!isUsed || !(await this.#parts.vectorStores.isLive(caller, own.vector_store_id, tx))) return
    await this.#parts.vectorStores.deleteIn(tx, caller, own.vector_store_id)
  }
}

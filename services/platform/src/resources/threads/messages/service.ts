// Messages of a thread: added by callers between runs, and by runs.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { DeleteSome } from '@atoll/kernel/jobs/purge'
import { mapInTurns } from '@atoll/kernel/loop-turns'
import type { ProjectCaller } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import { assistantErrors } from '../../../errors/assistants.ts'
import type { ActiveRuns } from '../active-run.ts'
import { countMessages, findThread, type Thread } from '../thread-records.ts'
import { type AttachmentParts, attach, checkFiles } from './attachments.ts'
import type { MessageRow } from './item-row.ts'
import { newRow, present } from './message-row.ts'
import { newestThatFit } from './newest.ts'
import type {
  Attachment,
  CreateMessage,
  IncompleteDetails,
  MessageContent,
  MessageDeleted,
  MessageObject,
  UpdateMessage,
} from './schema.ts'
import * as store from './store.ts'

interface Parts extends AttachmentParts {
  db: Database
  ids: Ids
  clock: Clock
}

/** What a run has written when it is done with a message. */
export interface FinishedMessage {
  content: MessageContent[]
  status: 'completed' | 'incomplete'
  incomplete_details?: IncompleteDetails
  attachments?: Attachment[]
}

export class Messages {
  readonly #parts: Parts
  #runs: ActiveRuns | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Called once, by the runs service: it knows which threads are busy. */
  setActiveRuns(runs: ActiveRuns): void {
    this.#runs = runs
  }

  async create(caller: ProjectCaller, threadId: string, request: CreateMessage): Promise<MessageObject> {
    return this.#parts.db.transaction(async (tx) => {
      const thread = await findThread(tx, caller, threadId)
      const runId = await this.#runs?.activeRun(threadId, tx)
      if (runId !== undefined) throw assistantErrors.threadBusy(threadId, runId)
      return present(await this.#add(tx, caller, thread, request))
    })
  }

  /** Whether a run is active is the caller's business. */
  async createIn(tx: Tx, caller: ProjectCaller, threadId: string, request: CreateMessage): Promise<MessageObject> {
    return present(await this.#add(tx, caller, await findThread(tx, caller, threadId), request))
  }

  async createAllIn(
    tx: Tx,
    caller: ProjectCaller,
    threadId: string,
    requests: readonly CreateMessage[],
  ): Promise<void> {
    await this.#addAll(tx, caller, await findThread(tx, caller, threadId), requests)
  }

  async list(
    caller: ProjectCaller,
    threadId: string,
    { run_id, ...page }: PageQuery & { run_id?: string | undefined },
  ): Promise<ListEnvelope<MessageObject>> {
    const { queries } = this.#parts.db
    await findThread(queries, caller, threadId)
    return listPage(page, (query) => store.listMessages(queries, threadId, run_id, query), present)
  }

  async get(caller: ProjectCaller, threadId: string, id: string): Promise<MessageObject> {
    const { queries } = this.#parts.db
    await findThread(queries, caller, threadId)
    const row = await store.findMessage(queries, threadId, id)
    if (row === undefined) throw assistantErrors.noSuchMessage(id)
    return present(row)
  }

  async update(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    { metadata }: UpdateMessage,
  ): Promise<MessageObject> {
    if (metadata === undefined) return this.get(caller, threadId, id)
    const { queries } = this.#parts.db
    await findThread(queries, caller, threadId)
    const row = await store.changeMessage(queries, threadId, id, { metadata: JSON.stringify(metadata ?? {}) })
    if (row === undefined) throw assistantErrors.noSuchMessage(id)
    return present(row)
  }

  async delete(caller: ProjectCaller, threadId: string, id: string): Promise<MessageDeleted> {
    await this.#parts.db.transaction(async (tx) => {
      await findThread(tx, caller, threadId)
      const row = await store.findMessage(tx, threadId, id)
      if (row === undefined) throw assistantErrors.noSuchMessage(id)
      if (row.status === 'in_progress') throw assistantErrors.messageInProgress(id, row.run_id)
      await store.deleteMessage(tx, id)
      await countMessages(tx, threadId, -1)
    })
    return { id, object: 'thread.message.deleted', deleted: true }
  }

  /** Of a thread that is gone. */
  readonly deleteSome: DeleteSome = store.deleteMessagesOf

  /** For runs: what the model may read, oldest first; the `last` so many, and never more than memory should hold. */
  async allOf(threadId: string, { last }: { last?: number } = {}): Promise<MessageObject[]> {
    const page = (query: PageQuery) => store.listMessages(this.#parts.db.queries, threadId, undefined, query)
    return (await newestThatFit(page, last)).reverse().map(present)
  }

  /** An answer begins: empty, in progress. */
  async startIn(
    tx: Tx,
    { threadId, assistantId, runId }: { threadId: string; assistantId: string; runId: string },
    object = newObject(this.#parts, 'msg_'),
  ): Promise<MessageObject> {
    const row: MessageRow = {
      ...newRow(object, threadId, { role: 'assistant', content: [] }),
      status: 'in_progress',
      completed_at: null,
      assistant_id: assistantId,
      run_id: runId,
    }
    await together([countMessages(tx, threadId, 1), store.insertMessages(tx, [row])])
    return present(row)
  }

  async finishIn(tx: Tx, id: string, finished: FinishedMessage): Promise<MessageObject> {
    const { content, status, incomplete_details, attachments = [] } = finished
    const now = unixSeconds(this.#parts.clock)
    const row = await store.finishMessage(tx, id, {
      status,
      content: JSON.stringify(content),
      attachments: JSON.stringify(attachments),
      incomplete_reason: incomplete_details?.reason ?? null,
      completed_at: status === 'completed' ? now : null,
      incomplete_at: status === 'incomplete' ? now : null,
    })
    if (row === undefined) throw assistantErrors.noSuchMessage(id)
    return present(row)
  }

  async #add(tx: Tx, caller: ProjectCaller, thread: Thread, request: CreateMessage): Promise<MessageRow> {
    const [row] = await this.#addAll(tx, caller, thread, [request])
    return row as MessageRow
  }

  async #addAll(
    tx: Tx,
    caller: ProjectCaller,
    thread: Thread,
    requests: readonly CreateMessage[],
  ): Promise<MessageRow[]> {
    await checkFiles(this.#parts, tx, caller, requests)
    await attach(this.#parts, tx, caller, thread, requests)
    await countMessages(tx, thread.id, requests.length)
    const rows = await mapInTurns(requests, (request) => newRow(newObject(this.#parts, 'msg_'), thread.id, request))
    await store.insertMessages(tx, rows)
    return rows
  }
}

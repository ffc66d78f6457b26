// Runs: created on a thread, followed, stopped, given the outputs of the caller's own functions.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import { isUniqueViolation } from '@atoll/kernel/db/unique-violation'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import { runErrors } from '../../../errors/runs.ts'
import type { Inference } from '../../../inference/inference.ts'
import type { AssistantObject } from '../../assistants/schema.ts'
import type { Assistants } from '../../assistants/service.ts'
import type { ActiveRuns } from '../active-run.ts'
import type { Messages } from '../messages/service.ts'
import type { ThreadObject } from '../schema.ts'
import type { Threads } from '../service.ts'
import { findThread } from '../thread-records.ts'
import type { RunJobs } from './engine/jobs.ts'
import { checkSettings, newRunRow } from './new-run.ts'
import { presentRun, runSettings } from './present.ts'
import { changeRun, findRun, isActive, type RunRow } from './run-rows.ts'
import type { CreateRun, CreateThreadAndRun, RunObject, SubmitToolOutputs, UpdateRun } from './schema.ts'
import { deleteStepsOf } from './steps/step-rows.ts'
import * as store from './store.ts'
import { type RunEvent, runCreated, runReached, stepEvent, threadCreated } from './stream/events.ts'
import type { RunHub } from './stream/hub.ts'
import { readStream } from './stream/read-stream.ts'
import type { ReaderOptions } from './stream/reader.ts'
import { replay } from './stream/replay.ts'
import { type Accepted, acceptOutputs } from './tool-outputs.ts'

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  inference: Pick<Inference, 'resolve'>
  assistants: Pick<Assistants, 'get'>
  threads: Threads
  messages: Messages
  jobs: RunJobs
  hub: RunHub
}

type Request = CreateRun & Pick<CreateThreadAndRun, 'tool_resources'>

export class Runs implements ActiveRuns {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.messages.setActiveRuns(this)
    parts.threads.onDelete((tx, threadId) => this.#stopIn(tx, threadId), deleteStepsOf, store.deleteRunsOf)
  }

  async create(caller: ProjectCaller, threadId: string, request: CreateRun): Promise<RunObject> {
    const row = await this.#prepare(caller, threadId, request)
    await this.#insert(caller, row, request)
    return presentRun(row)
  }

  async createStream(
    caller: ProjectCaller,
    threadId: string,
    request: CreateRun,
    options: ReaderOptions = {},
  ): Promise<AsyncIterable<RunEvent>> {
    const row = await this.#prepare(caller, threadId, request)
    return readStream(this.#parts.hub, row.id, options, async () => {
      await this.#insert(caller, row, request)
      return [runCreated(row), runReached(row)]
    })
  }

  async createThreadAndRun(caller: ProjectCaller, request: CreateThreadAndRun): Promise<RunObject> {
    const assistant = await this.#parts.assistants.get(caller, request.assistant_id)
    const row = await this.#prepared(caller, '', assistant, request)
    const thread = await this.#insertWithThread(caller, row, request)
    return presentRun({ ...row, thread_id: thread.id })
  }

  async createThreadAndRunStream(
    caller: ProjectCaller,
    request: CreateThreadAndRun,
    options: ReaderOptions = {},
  ): Promise<AsyncIterable<RunEvent>> {
    const assistant = await this.#parts.assistants.get(caller, request.assistant_id)
    const row = await this.#prepared(caller, '', assistant, request)
    return readStream(this.#parts.hub, row.id, options, async () => {
      const thread = await this.#insertWithThread(caller, row, request)
      const created = { ...row, thread_id: thread.id }
      return [threadCreated(thread), runCreated(created), runReached(created)]
    })
  }

  async list(caller: ProjectCaller, threadId: string, page: PageQuery): Promise<ListEnvelope<RunObject>> {
    await this.#parts.threads.get(caller, threadId)
    return listPage(page, (query) => store.listRuns(this.#parts.db.queries, threadId, query), presentRun)
  }

  async get(caller: ProjectCaller, threadId: string, id: string): Promise<RunObject> {
    return presentRun(await this.#find(caller, threadId, id))
  }

  async update(caller: ProjectCaller, threadId: string, id: string, { metadata }: UpdateRun): Promise<RunObject> {
    const row = await this.#find(caller, threadId, id)
    if (metadata === undefined) return presentRun(row)
    const changed = await store.setMetadata(this.#parts.db.queries, id, JSON.stringify(metadata ?? {}))
    return presentRun(changed ?? row)
  }

  /** AST-084 */
  async cancel(caller: ProjectCaller, threadId: string, id: string): Promise<RunObject> {
    const { db, hub, jobs } = this.#parts
    await this.#find(caller, threadId, id)
    const cancelled = await db.transaction(async (tx) => {
      const before = await findRun(tx, id)
      const from = ['queued', 'in_progress', 'requires_action'] as const
      const row = await changeRun(tx, id, from, { status: 'cancelling', required_action: null })
      if (row === undefined) return undefined
      // In the other states a job is there already.
      if (before?.status === 'requires_action') await jobs.start(tx, id)
      await hub.announce(tx, id, row.status)
      return row
    })
    if (cancelled !== undefined) return presentRun(cancelled)
    throw runErrors.cannotCancel((await this.#find(caller, threadId, id)).status)
  }

  /** AST-083 */
  async submitToolOutputs(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    request: SubmitToolOutputs,
  ): Promise<RunObject> {
    return presentRun((await this.#accept(caller, threadId, id, request)).run)
  }

  /** AST-099 */
  async submitToolOutputsStream(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    request: SubmitToolOutputs,
    options: ReaderOptions = {},
  ): Promise<AsyncIterable<RunEvent>> {
    const { hub } = this.#parts
    await this.#find(caller, threadId, id)
    return readStream(hub, id, options, async (reader) => {
      const state = await hub.state(id)
      // What the stream of the run's first part has told.
      if (state !== undefined) reader.skip(replay(state).filter(({ event }) => !isLater(event)))
      const { run, step } = await this.#accept(caller, threadId, id, request)
      return [stepEvent('completed', step), runReached(run)]
    })
  }

  /** For messages: a thread takes none while a run is at work. */
  async activeRun(threadId: string, queries: Queries): Promise<string | undefined> {
    return (await store.findActiveRun(queries, threadId))?.id
  }

  async #prepare(caller: ProjectCaller, threadId: string, request: CreateRun): Promise<RunRow> {
    const { assistants, threads } = this.#parts
    await threads.get(caller, threadId)
    return this.#prepared(caller, threadId, await assistants.get(caller, request.assistant_id), request)
  }

  async #prepared(
    caller: ProjectCaller,
    threadId: string,
    assistant: AssistantObject,
    request: Request,
  ): Promise<RunRow> {
    const settings = runSettings(assistant, request)
    checkSettings(settings)
    await this.#parts.inference.resolve(caller, settings.model, 'chat', 'v1/threads/runs')
    const { metadata } = request
    return newRunRow(this.#parts, { caller, threadId, assistantId: assistant.id, settings, metadata })
  }

  async #insert(caller: ProjectCaller, row: RunRow, { additional_messages }: CreateRun): Promise<void> {
    const { db, messages, jobs } = this.#parts
    const { id, thread_id } = row
    const messagesToAdd = additional_messages ?? []
    const found = await this.#expireOverdue(await store.findActiveRun(db.queries, thread_id))
    if (found !== undefined && isActive(found)) throw runErrors.threadBusy(thread_id, found.id)
    const insert = db.transaction(async (tx) => {
      await together([
        findThread(tx, caller, thread_id), // it may have been deleted meanwhile
        messagesToAdd.length > 0 && messages.createAllIn(tx, caller, thread_id, messagesToAdd),
        store.insertRun(tx, row),
        jobs.start(tx, id),
      ])
    })
    // Another may have been created meanwhile.
    await insert.catch(async (error: unknown) => {
      if (!isUniqueViolation(error)) throw error
      const active = await this.activeRun(thread_id, db.queries)
      throw active === undefined ? error : runErrors.threadBusy(thread_id, active)
    })
  }

  #insertWithThread(caller: ProjectCaller, row: RunRow, request: CreateThreadAndRun): Promise<ThreadObject> {
    const { db, threads, jobs } = this.#parts
    return db.transaction(async (tx) => {
      const thread = await threads.createIn(tx, caller, request.thread ?? {})
      await together([store.insertRun(tx, { ...row, thread_id: thread.id }), jobs.start(tx, row.id)])
      return thread
    })
  }

  async #accept(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    { tool_outputs }: SubmitToolOutputs,
  ): Promise<Accepted> {
    const { db, clock, hub, jobs } = this.#parts
    await this.#find(caller, threadId, id)
    return db.transaction(async (tx) => {
      const accepted = await acceptOutputs(tx, id, tool_outputs, unixSeconds(clock))
      await jobs.start(tx, id)
      await hub.announce(tx, id, accepted.run.status)
      return accepted
    })
  }

  async #find(caller: ProjectCaller, threadId: string, id: string): Promise<RunRow> {
    const { db, threads } = this.#parts
    const row = await store.findRunOf(db.queries, caller.projectId, threadId, id)
    if (row === undefined) {
      await threads.get(caller, threadId)
      throw runErrors.noSuchRun(id)
    }
    return (await this.#expireOverdue(row)) ?? row
  }

  /** The periodic job may be a little behind. */
  async #expireOverdue(row: RunRow | undefined): Promise<RunRow | undefined> {
    const { db, clock, jobs } = this.#parts
    if (row === undefined || !isActive(row) || row.expires_at > unixSeconds(clock)) return row
    await jobs.expire(row)
    return findRun(db.queries, row.id)
  }

  /** Without its row nothing more is written for it. */
  async #stopIn(tx: Tx, threadId: string): Promise<void> {
    const active = await store.findActiveRun(tx, threadId)
    if (active === undefined) return
    await store.deleteRun(tx, active.id)
    await this.#parts.hub.announce(tx, active.id, 'cancelled')
  }
}

/** Told once more after the caller has done its part. */
const isLater = (event: string): boolean => /^thread\.run\.(?!created$)[a-z_]+$/.test(event)

// Responses: asked for, answered at once, kept, read again, deleted.
import { setImmediate } from 'node:timers/promises'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller } from '../../callers.ts'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { responseErrors } from '../../errors/responses.ts'
import type { KeptItem } from '../conversations/items/kept-item.ts'
import type { Item } from '../conversations/items/schema.ts'
import type { Items } from '../conversations/items/service.ts'
import type { ResponseJobs } from './background/jobs.ts'
import { countTokens } from './count-tokens.ts'
import { type Prepared, type PrepareParts, prepare } from './prepare.ts'
import { changeOpen, openStatuses, type ResponseRow } from './response-rows.ts'
import type { CountInputTokens, CreateResponse, includable, ResponseObject } from './schema.ts'
import type { ResponseSettings } from './settings.ts'
import { noProgress, type Progress, presentResponse, type ResponseState, shownItem } from './state.ts'
import * as store from './store.ts'
import type { ResponseEvent } from './stream/event.ts'
import { EventQueue } from './stream/event-queue.ts'
import { deleteEvents, eventsAfter, insertEvents, lastSequence } from './stream/event-rows.ts'
import type { ResponseHub } from './stream/hub.ts'
import { ForegroundJournal } from './work/foreground.ts'
import { workOn } from './work/work-on.ts'

interface Parts extends PrepareParts {
  db: Database
  ids: Ids
  clock: Clock
  items: Items
  hub: ResponseHub
  jobs: ResponseJobs
  /** Throws when the conversation is gone, in use or full. */
  joinConversation(tx: Tx, caller: ProjectCaller, id: string, items: number): Promise<void>
}

type Included = (typeof includable)[number]

export interface Answer<Body> {
  body: Body
  headers: Record<string, string>
}

export class Responses {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(
    caller: ProjectCaller,
    body: CreateResponse,
    { signal, batch: isBatch = false }: { signal: AbortSignal; batch?: boolean },
  ): Promise<Answer<ResponseObject>> {
    if (isBatch && (body.stream === true || body.background === true)) throw responseErrors.streamInBatch()
    const prepared = await prepare(this.#parts, caller, body)
    const journal = this.#journal(prepared)
    const headers = await workOn(this.#parts, prepared, journal, signal, { isBatch })
    return { body: journal.response, headers: headers() }
  }

  /** Rejects when the work fails before there is anything to tell; what fails later is told as an event. */
  async createStream(
    caller: ProjectCaller,
    body: CreateResponse,
    signal: AbortSignal,
  ): Promise<Answer<AsyncIterable<ResponseEvent>>> {
    const prepared = await prepare(this.#parts, caller, body)
    const queue = new EventQueue()
    const started = Promise.withResolvers<void>()
    let told = 0
    let hasRested = false
    const reader = {
      push: (event: ResponseEvent) => {
        queue.push(event)
        if (++told > openingEvents) started.resolve()
      },
      pace: () => {
        if (hasRested || told <= openingEvents) return queue.pace()
        // What is told so far is sent in this turn of the loop; the rest of the answer may be here already.
        hasRested = true
        return setImmediate()
      },
    }
    const journal = this.#journal(prepared, reader)
    journal.begin()
    let headers: (() => Record<string, string>) | undefined
    const work = workOn(this.#parts, prepared, journal, signal, {
      isTold: () => told > openingEvents,
      known: (known) => {
        headers = known
      },
    })
    work.then(
      () => queue.end(),
      (error: unknown) => {
        started.reject(error)
        queue.end(error)
      },
    )
    await Promise.race([started.promise, work])
    return { body: queue.events(), headers: headers?.() ?? {} }
  }

  /** Answers before the work begins. */
  async createBackground(caller: ProjectCaller, body: CreateResponse): Promise<ResponseObject> {
    const prepared = await prepare(this.#parts, caller, body)
    await this.#enqueue(prepared)
    return presentResponse(prepared.head, queued)
  }

  async createBackgroundStream(
    caller: ProjectCaller,
    body: CreateResponse,
    signal: AbortSignal,
  ): Promise<AsyncIterable<ResponseEvent>> {
    const prepared = await prepare(this.#parts, caller, body)
    const reader = this.#parts.hub.read(prepared.head.id, { after: -1, signal })
    try {
      reader.open(await this.#enqueue(prepared))
    } catch (error) {
      reader.close()
      throw error
    }
    return reader.events()
  }

  /** From after the event of that number on. */
  async follow(
    caller: ProjectCaller,
    id: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<ResponseEvent>> {
    const { db, hub } = this.#parts
    const reader = hub.read(id, { after, signal })
    try {
      const { settings } = await this.find(caller, id)
      if (!(JSON.parse(settings) as ResponseSettings).background) throw responseErrors.notStreamable()
      reader.open(await eventsAfter(db.queries, id, after))
      // Of one that has ended nothing more will come.
      if (!isOpen(await this.find(caller, id))) {
        reader.catchUp(await eventsAfter(db.queries, id, after))
        reader.close()
      }
    } catch (error) {
      reader.close()
      throw error
    }
    return reader.events()
  }

  async cancel(caller: ProjectCaller, id: string): Promise<ResponseObject> {
    const { db, clock, hub } = this.#parts
    const before = await this.find(caller, id)
    if (!(JSON.parse(before.settings) as ResponseSettings).background) throw responseErrors.notBackground(id)
    const output = await this.#parts.items.output(id)
    const row = await db.transaction(async (tx) => {
      const cancelled = await changeOpen(tx, id, { status: 'cancelled', completed_at: unixSeconds(clock) })
      if (cancelled === undefined) return undefined
      const response = presentRow(cancelled, output)
      const sequence_number = (await lastSequence(tx, id)) + 1
      await insertEvents(tx, id, [{ type: 'response.cancelled', response, sequence_number }])
      await hub.announce(tx, id, 'cancelling')
      return cancelled
    })
    // Whoever comes too late is told how it has ended.
    return row === undefined ? this.get(caller, id, []) : presentRow(row, output)
  }

  /** Of all that the model would read. */
  async countInputTokens(caller: ProjectCaller, body: CountInputTokens, signal: AbortSignal): Promise<number> {
    const prepared = await prepare(this.#parts, caller, body)
    return countTokens(this.#parts, prepared, signal)
  }

  async get(caller: ProjectCaller, id: string, include: readonly Included[]): Promise<ResponseObject> {
    const row = await this.find(caller, id)
    return this.present(row, include)
  }

  async delete(caller: ProjectCaller, id: string): Promise<void> {
    const { db, items, hub } = this.#parts
    await this.find(caller, id)
    await db.transaction(async (tx) => {
      await together([store.deleteResponse(tx, id), items.deleteAllIn(tx, id), deleteEvents(tx, id)])
      await hub.announce(tx, id, 'deleted')
    })
  }

  async inputItems(
    caller: ProjectCaller,
    id: string,
    { include = [], ...page }: PageQuery & { include?: readonly Included[] | undefined },
  ): Promise<ListEnvelope<Item>> {
    await this.find(caller, id)
    return this.#parts.items.listInput(id, page, ({ item }) => shownItem(item, include))
  }

  async find(caller: ProjectCaller, id: string): Promise<ResponseRow> {
    const row = await store.findResponse(this.#parts.db.queries, caller.projectId, id)
    if (row === undefined) throw responseErrors.noSuchResponse(id)
    return row
  }

  async present(row: ResponseRow, include: readonly Included[] = []): Promise<ResponseObject> {
    return presentRow(row, await this.#parts.items.output(row.id), include)
  }

  /** Its job, and what readers are told first, in one commit. */
  async #enqueue(prepared: Prepared): Promise<ResponseEvent[]> {
    const { db, items, jobs } = this.#parts
    const { caller, head, input } = prepared
    const { id, conversation_id } = head
    const place = { ownerId: conversation_id ?? id, responseId: id, source: 'input' as const }
    const rows = await items.rowsOf(input, place)
    const response = presentResponse(head, queued)
    const events = ['response.created', 'response.queued'].map((type, sequence_number) => ({
      type,
      response,
      sequence_number,
    }))
    await db.transaction(async (tx) => {
      if (conversation_id !== null) await this.#parts.joinConversation(tx, caller, conversation_id, rows.length)
      const row = rowOf(prepared, queued, rows)
      await together([store.insertResponse(tx, row), items.insertIn(tx, rows), insertEvents(tx, id, events)])
      await jobs.start(tx, id, caller)
    })
    return events
  }

  #journal(
    prepared: Prepared,
    reader?: ConstructorParameters<typeof ForegroundJournal>[0]['reader'],
  ): ForegroundJournal {
    const { db, clock } = this.#parts
    const keep = (state: ResponseState): Promise<void> => this.#keep(prepared, state)
    return new ForegroundJournal({ db, clock, keep, reader }, prepared.head)
  }

  async #keep(prepared: Prepared, state: ResponseState): Promise<void> {
    if (!prepared.head.settings.store) return
    const { db, items, clock } = this.#parts
    const { id, conversation_id } = prepared.head
    const place = { ownerId: conversation_id ?? id, responseId: id }
    const rows = [
      ...(await items.rowsOf(prepared.input, { ...place, source: 'input' })),
      ...(await items.rowsOf(state.output, { ...place, source: 'output' })),
    ]
    const row = rowOf(prepared, { ...state, completed_at: state.completed_at ?? unixSeconds(clock) }, rows)
    const insert = (tx: Tx) => together([store.insertResponse(tx, row), items.insertIn(tx, rows)])
    if (conversation_id === null) await db.batch(insert)
    else {
      await db.transaction(async (tx) => {
        await this.#parts.joinConversation(tx, prepared.caller, conversation_id, rows.length)
        await insert(tx)
      })
    }
  }
}

function rowOf(
  { caller, head }: Prepared,
  { status, progress, completed_at }: Omit<ResponseState, 'output'>,
  items: readonly { item: string | null; work: string | null }[],
): ResponseRow {
  const { settings, ...rest } = head
  return {
    ...rest,
    project_id: caller.projectId,
    caller: settings.background ? JSON.stringify(caller) : null,
    status,
    settings: JSON.stringify(settings),
    progress: JSON.stringify(progress),
    letters: items.reduce((sum, { item, work }) => sum + (item?.length ?? 0) + (work?.length ?? 0), 0),
    completed_at,
  }
}

function presentRow(row: ResponseRow, output: KeptItem[], include: readonly Included[] = []): ResponseObject {
  const settings = JSON.parse(row.settings) as ResponseSettings
  const head = { ...row, settings: { ...settings, include: [...settings.include, ...include] } }
  const completed_at = row.status === 'completed' ? row.completed_at : null
  const state = { status: row.status, completed_at, progress: JSON.parse(row.progress) as Progress, output }
  return presentResponse(head, state)
}

const isOpen = ({ status }: Pick<ResponseRow, 'status'>): boolean =>
  (openStatuses as readonly string[]).includes(status)

const queued: ResponseState = { status: 'queued', completed_at: null, progress: noProgress, output: [] }

/** `response.created` and `response.in_progress`: the model has not been asked yet. */
const openingEvents = 2

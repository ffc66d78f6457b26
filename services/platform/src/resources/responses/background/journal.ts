// The journal of a response in the background: every step is durable before it is told, and written only while nobody
// has ended the response meanwhile or works on it in this attempt's place.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Items } from '../../conversations/items/service.ts'
import { changeOpen, type ResponseRow } from '../response-rows.ts'
import { presentResponse, type ResponseHead } from '../state.ts'
import type { EventBody, ResponseEvent } from '../stream/event.ts'
import { insertEvents } from '../stream/event-rows.ts'
import type { ResponseHub } from '../stream/hub.ts'
import type { EndStatus, Journal, Written } from '../work/journal.ts'

/** Someone has cancelled or deleted the response: what was about to be written is not. */
export class ResponseChanged extends Error {
  override readonly name = 'ResponseChanged'
}

const maxWaiting = 512

interface Parts {
  db: Database
  clock: Clock
  items: Items
  hub: ResponseHub
  job: RunningJob<unknown>
  /** The work cannot be written down any more. */
  onLost(error: unknown): void
}

interface Begun {
  head: ResponseHead
  output: KeptItem[]
  /** Of the next event. */
  sequence: number
}

export class BackgroundJournal implements Journal {
  readonly #parts: Parts
  readonly #head: ResponseHead
  #output: KeptItem[]
  #sequence: number
  #pending: ResponseEvent[] = []
  /** One commit at a time: what is told meanwhile goes with the next. */
  #committing: Promise<void> = Promise.resolve()
  #isFlushing = false
  /** Events that were not written leave a gap: nothing may follow it. */
  #lost: { error: unknown } | undefined

  constructor(parts: Parts, { head, output, sequence }: Begun) {
    this.#parts = parts
    this.#head = head
    this.#output = [...output]
    this.#sequence = sequence
  }

  readonly tell = (event: EventBody): void => {
    this.#pending.push({ ...event, sequence_number: this.#sequence++ })
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#commit(async () => {
      this.#isFlushing = false
      return { change: { status: 'in_progress' } }
    }).catch((error: unknown) => this.#parts.onLost(error))
  }

  pace(): Promise<void> | undefined {
    return this.#pending.length < maxWaiting ? undefined : this.#committing
  }

  async write(written: Written): Promise<void> {
    this.#keep(written)
    await this.#commit(async () => ({ written, change: changeOf('in_progress', written) }))
  }

  async end(status: EndStatus, written: Written): Promise<void> {
    this.#keep(written)
    const now = unixSeconds(this.#parts.clock)
    const completed_at = status === 'completed' ? now : null
    const { progress } = written
    const response = presentResponse(this.#head, { status, completed_at, progress, output: this.#output })
    this.#pending.push({ type: `response.${status}`, response, sequence_number: this.#sequence++ })
    const change = { ...changeOf(status, written), completed_at: now }
    await this.#commit(async () => ({ written, change, isLast: true }))
  }

  /** Nothing is being written any more. */
  settle(): Promise<void> {
    return this.#committing
  }

  #keep({ added = [], changed = [] }: Written): void {
    this.#output = this.#output.map((kept) => changed.find(({ item }) => item.id === kept.item.id) ?? kept)
    this.#output.push(...added)
  }

  #commit(begin: () => Promise<Commit>): Promise<void> {
    const commit = this.#committing.then(async () => {
      if (this.#lost !== undefined) throw this.#lost.error
      await this.#write(await begin())
    })
    this.#committing = commit.catch((error: unknown) => {
      this.#lost ??= { error }
    })
    return commit
  }

  async #write({ written, change, isLast = false }: Commit): Promise<void> {
    const { db, items, hub, job } = this.#parts
    const { id, conversation_id } = this.#head
    const events = this.#pending
    this.#pending = []
    const owner = { ownerId: conversation_id ?? id, responseId: id, source: 'output' as const }
    const rows = await items.rowsOf(written?.added ?? [], owner)
    await db.transaction(async (tx) => {
      const [, row] = await together([
        isLast ? job.finish(tx) : job.confirm(tx),
        changeOpen(tx, id, change),
        insertEvents(tx, id, events),
        rows.length > 0 && items.insertIn(tx, rows),
        ...(written?.changed ?? []).map((kept) => items.changeIn(tx, kept)),
      ])
      if (row === undefined) throw new ResponseChanged()
      await written?.keepIn?.(tx)
      await hub.announce(tx, id, row.status)
    })
    for (const event of events) hub.tell(id, event)
  }
}

interface Commit {
  written?: Written
  change: Partial<ResponseRow>
  isLast?: boolean
}

const changeOf = (status: ResponseRow['status'], { progress }: Written): Partial<ResponseRow> => ({
  status,
  progress: JSON.stringify(progress),
})

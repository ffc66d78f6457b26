// The journal of a response in the background: every step is durable before it is told, and written only while nobody
// has ended the response meanwhile or works on it in this attempt's place. What says that an item is done is written in
// the commit that keeps the item, never before: an attempt that is killed in between is begun anew, with other items.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Item } from '../../conversations/items/schema.ts'
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
  db: Pick<Database, 'transaction'>
  clock: Clock
  items: Pick<Items, 'rowsOf' | 'insertIn' | 'changeIn'>
  hub: Pick<ResponseHub, 'announce' | 'tell'>
  job: Pick<RunningJob<unknown>, 'attempt' | 'confirm' | 'finish'>
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
  /** Told, and not on their way yet: they have a commit of their own, unless something is written before its turn. */
  #waiting: ResponseEvent[] | undefined
  /** From the first one on that says something is done: they wait until it is kept. */
  #held: ResponseEvent[] = []
  /** One commit at a time. */
  #committing: Promise<void> = Promise.resolve()
  /** Events that were not written leave a gap: nothing may follow it. */
  #lost: { error: unknown } | undefined

  constructor(parts: Parts, { head, output, sequence }: Begun) {
    this.#parts = parts
    this.#head = head
    this.#output = [...output]
    this.#sequence = sequence
  }

  readonly tell = (event: EventBody): void => {
    const numbered = this.#numbered(event)
    if (this.#held.length > 0 || saysDone(event)) this.#held.push(numbered)
    else this.#tellSoon(numbered)
  }

  /** Of an item that an earlier attempt has begun and not kept: it was cut off, and the answer is asked for anew. */
  tellCutOff(output_index: number, item: Item): void {
    const cutOff = { ...item, status: 'incomplete' }
    this.#tellSoon(this.#numbered({ type: 'response.output_item.done', output_index, item: cutOff }))
  }

  pace(): Promise<void> | undefined {
    return (this.#waiting?.length ?? 0) < maxWaiting ? undefined : this.#committing
  }

  async write(written: Written): Promise<void> {
    this.#keep(written)
    const commit = { written, events: this.#untold(), change: this.#changeOf('in_progress', written) }
    await this.#commit(() => commit)
  }

  async end(status: EndStatus, written: Written): Promise<void> {
    this.#keep(written)
    const now = unixSeconds(this.#parts.clock)
    const completed_at = status === 'completed' ? now : null
    const { progress } = written
    const response = presentResponse(this.#head, { status, completed_at, progress, output: this.#output })
    const events = [...this.#untold(), this.#numbered({ type: `response.${status}`, response })]
    const change = { ...this.#changeOf(status, written), completed_at: now }
    await this.#commit(() => ({ written, events, change, isLast: true }))
  }

  /** Nothing is being written any more. */
  settle(): Promise<void> {
    return this.#committing
  }

  #changeOf(status: ResponseRow['status'], { progress }: Written): Partial<ResponseRow> {
    return { status, progress: JSON.stringify({ ...progress, keptBy: this.#parts.job.attempt }) }
  }

  #keep({ added = [], changed = [] }: Written): void {
    this.#output = this.#output.map((kept) => changed.find(({ item }) => item.id === kept.item.id) ?? kept)
    this.#output.push(...added)
  }

  #numbered(event: EventBody): ResponseEvent {
    return { ...event, sequence_number: this.#sequence++ }
  }

  #tellSoon(event: ResponseEvent): void {
    if (this.#waiting === undefined) {
      const events: ResponseEvent[] = []
      this.#waiting = events
      this.#commit(() => {
        if (this.#waiting === events) this.#waiting = undefined
        return { events, change: { status: 'in_progress' } }
      }).catch((error: unknown) => this.#parts.onLost(error))
    }
    this.#waiting.push(event)
  }

  /** All that was told so far: the commit that waited for it has nothing left to write. */
  #untold(): ResponseEvent[] {
    const events = [...(this.#waiting?.splice(0) ?? []), ...this.#held]
    this.#waiting = undefined
    this.#held = []
    return events
  }

  #commit(begin: () => Commit): Promise<void> {
    const commit = this.#committing.then(async () => {
      if (this.#lost !== undefined) throw this.#lost.error
      await this.#write(begin())
    })
    this.#committing = commit.catch((error: unknown) => {
      this.#lost ??= { error }
    })
    return commit
  }

  async #write({ written, events, change, isLast = false }: Commit): Promise<void> {
    if (written === undefined && events.length === 0) return
    const { db, items, hub, job } = this.#parts
    const { id, conversation_id } = this.#head
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
  events: readonly ResponseEvent[]
  change: Partial<ResponseRow>
  isLast?: boolean
}

const saysDone = ({ type }: EventBody): boolean => /^response\.(output_item\.done|\w+\.(completed|failed))$/.test(type)

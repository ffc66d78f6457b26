// The journal of a response that somebody waits for: events go out as they happen, and at its end all of it is kept at
// once, or nothing where it was not to be.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { ResponseObject } from '../schema.ts'
import { noProgress, presentResponse, type ResponseHead, type ResponseState } from '../state.ts'
import type { EventBody, ResponseEvent } from '../stream/event.ts'
import type { EndStatus, Journal, Written } from './journal.ts'

interface Parts {
  db: Database
  clock: Clock
  /** Keeps the response, once it has ended. */
  keep(state: ResponseState): Promise<void>
  /** Absent: nobody reads along. */
  reader?: { push(event: ResponseEvent): void; pace(): Promise<void> | undefined } | undefined
}

export class ForegroundJournal implements Journal {
  readonly #parts: Parts
  readonly #head: ResponseHead
  #output: KeptItem[] = []
  #sequence = 0
  #response: ResponseObject | undefined

  constructor(parts: Parts, head: ResponseHead) {
    this.#parts = parts
    this.#head = head
  }

  /** Once it has ended. */
  get response(): ResponseObject {
    if (this.#response === undefined) throw new Error('The work on a response came to no end.')
    return this.#response
  }

  begin(): void {
    const state = { status: 'in_progress' as const, completed_at: null, progress: noProgress, output: [] }
    const response = presentResponse(this.#head, state)
    this.tell({ type: 'response.created', response })
    this.tell({ type: 'response.in_progress', response })
  }

  readonly tell = (event: EventBody): void => {
    this.#parts.reader?.push({ ...event, sequence_number: this.#sequence++ })
  }

  pace(): Promise<void> | undefined {
    return this.#parts.reader?.pace()
  }

  async write({ added = [], changed = [], keepIn }: Written): Promise<void> {
    this.#keep(added, changed)
    if (keepIn !== undefined) await this.#parts.db.transaction(keepIn)
  }

  async end(status: EndStatus, { added = [], progress }: Written): Promise<void> {
    this.#keep(added, [])
    const completed_at = status === 'completed' ? unixSeconds(this.#parts.clock) : null
    const state: ResponseState = { status, completed_at, progress, output: this.#output }
    const response = presentResponse(this.#head, state)
    await this.#parts.keep(state)
    this.#response = response
    this.tell({ type: `response.${status}`, response })
  }

  #keep(added: readonly KeptItem[], changed: readonly KeptItem[]): void {
    this.#output = this.#output.map((kept) => changed.find(({ item }) => item.id === kept.item.id) ?? kept)
    this.#output.push(...added)
  }
}

// For whoever looks after deliveries: what is there, what became of it, once more, pause and resume.
import type { Kernel } from '@atoll/kernel/kernel'
import { type DeliveryState, deliveryStates } from '../delivery-states.ts'
import type { DeliveryDesk, DeliveryEvent, DeliveryFilter, DeliveryRecord } from '../ports.ts'
import type { Acceptance } from './acceptance.ts'
import { readEvents } from './delivery-events.ts'
import type { DeliveryJobs } from './delivery-job.ts'
import { hearNews } from './news.ts'
import { addPause, endPause, type Paused, readPauses } from './pauses.ts'
import { deliveryRecord } from './row.ts'
import { countDeliveries, findDelivery, pageOfDeliveries } from './store.ts'

export class Desk implements DeliveryDesk {
  readonly #kernel: Pick<Kernel, 'db' | 'clock' | 'events'>
  readonly #acceptance: Acceptance
  readonly #queue: Pick<DeliveryJobs, 'wake'>

  constructor(
    kernel: Pick<Kernel, 'db' | 'clock' | 'events'>,
    acceptance: Acceptance,
    queue: Pick<DeliveryJobs, 'wake'>,
  ) {
    this.#kernel = kernel
    this.#acceptance = acceptance
    this.#queue = queue
  }

  async list(filter: DeliveryFilter): Promise<DeliveryRecord[]> {
    return (await pageOfDeliveries(this.#kernel.db.queries, filter)).map(deliveryRecord)
  }

  async get(id: string): Promise<DeliveryRecord | undefined> {
    const row = await findDelivery(this.#kernel.db.queries, id)
    return row === undefined ? undefined : deliveryRecord(row)
  }

  async counts(): Promise<Record<DeliveryState, number>> {
    const counts = await countDeliveries(this.#kernel.db.queries)
    const all = deliveryStates.map((state) => [state, counts.get(state) ?? 0])
    return Object.fromEntries(all)
  }

  events(id: string, after?: number): Promise<DeliveryEvent[]> {
    return readEvents(this.#kernel.db.queries, id, after)
  }

  watch(listener: (id: string) => void): () => void {
    return hearNews(this.#kernel.events, ({ ids }) => {
      for (const id of ids) listener(id)
    })
  }

  async replay(id: string): Promise<string | undefined> {
    const record = await this.get(id)
    if (record === undefined) return undefined
    const { path, mapping, trust, action, headers, body } = record
    const accepted = await this.#acceptance.accept({
      ...{ path, trust, action, headers, sender: 'replay', fingerprint: '', replayOf: id },
      mapping: mapping ?? undefined,
      body: body ?? undefined,
    })
    return accepted.id
  }

  async pause(mapping?: string): Promise<void> {
    const { db, clock } = this.#kernel
    await db.transaction(async (tx) => {
      await addPause(tx, clock.now(), mapping)
      await this.#queue.wake(tx)
    })
  }

  async resume(mapping?: string): Promise<void> {
    await this.#kernel.db.transaction(async (tx) => {
      await endPause(tx, mapping)
      await this.#queue.wake(tx)
    })
  }

  paused(): Promise<Paused> {
    return readPauses(this.#kernel.db.queries)
  }
}

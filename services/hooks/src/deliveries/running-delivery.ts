// One delivery while it runs, as whoever runs it sees it.
import type { Tx } from '@atoll/kernel/db/database'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ClaimedDelivery, Outcome } from '../ports.ts'
import { addEvent } from './delivery-events.ts'
import { tellNews } from './news.ts'
import { actionOf, type DeliveryRow } from './row.ts'
import { endDelivery } from './store.ts'

type Job = Pick<RunningJob<unknown>, 'attempt' | 'signal' | 'finish'>

export class RunningDelivery implements ClaimedDelivery {
  readonly id: string
  readonly action: ClaimedDelivery['action']
  readonly trust: ClaimedDelivery['trust']
  readonly receivedAt: number
  readonly attempt: number
  readonly signal: AbortSignal
  readonly #parts: Pick<Kernel, 'db' | 'clock' | 'events'>
  readonly #job: Job
  #isFinished = false
  #told: Promise<void> = Promise.resolve()

  constructor(parts: Pick<Kernel, 'db' | 'clock' | 'events'>, row: DeliveryRow, job: Job) {
    const action = actionOf(row)
    if (action?.kind !== 'agent') throw new Error(`the delivery ${row.id} is none that runs`)
    this.id = row.id
    this.action = action
    this.trust = row.trust
    this.receivedAt = row.received_at
    this.attempt = job.attempt
    this.signal = job.signal
    this.#parts = parts
    this.#job = job
  }

  /** True once `finish` has been committed. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  async finish(tx: Tx, outcome: Outcome): Promise<void> {
    const { db, clock, events } = this.#parts
    await this.#job.finish(tx)
    await endDelivery(tx, this.id, outcome, clock.now())
    await tellNews(events, tx, [this.id])
    db.afterCommit(tx, () => {
      this.#isFinished = true
    })
  }

  /** One after the other: they are numbered. */
  tell({ type, ...detail }: { type: string; [detail: string]: unknown }): Promise<void> {
    const { db, clock, events } = this.#parts
    const at = clock.now()
    const told = this.#told.then(() =>
      db.transaction(async (tx) => {
        await addEvent(tx, this.id, at, type, detail)
        await tellNews(events, tx, [this.id])
      }),
    )
    this.#told = told.catch(() => undefined)
    return told
  }
}

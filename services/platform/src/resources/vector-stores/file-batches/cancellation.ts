// The end of cancelled batches: what was stored of their open files goes, then they are cancelled. Also the end of all
// batches of a store that is gone.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { JobKind, Jobs, RunningJob } from '@atoll/kernel/jobs/jobs'
import { z } from 'zod'
import type { Attachments } from '../files/attachments.ts'
import * as store from './store.ts'

const CancelJob = z.strictObject({ batchId: z.string() })
type CancelJob = z.output<typeof CancelJob>

interface Parts {
  db: Database
  jobs: Jobs
  attachments: Attachments
}

export class Cancellation {
  readonly #parts: Parts
  readonly #kind: JobKind<CancelJob>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kind = {
      name: 'vector-store-batch-cancel',
      payload: CancelJob,
      maxAttempts: 1_000_000,
      leaseSeconds: 5,
      concurrency: 2,
      backoffSeconds: (attempt) => Math.min(60, 2 ** Math.min(attempt, 6)),
      run: (job) => this.#run(job),
    }
    parts.jobs.register(this.#kind)
    parts.attachments.onRemoval(store.deleteMembersOf, store.deleteBatchesOf)
  }

  /** Work on its files ends with the commit. AST-126 */
  async beginIn(tx: Tx, { id, store_id }: store.FileBatchRow): Promise<void> {
    await store.changeBatch(tx, id, 'cancelling')
    await this.#parts.attachments.cancelIn(tx, store_id, id)
    await this.#parts.jobs.enqueue(tx, this.#kind, { batchId: id })
  }

  #run({ payload: { batchId }, finish }: RunningJob<CancelJob>): Promise<void> {
    const { db, attachments } = this.#parts
    return db.transaction(async (tx) => {
      await attachments.clearCancelledIn(tx, batchId)
      await store.changeBatch(tx, batchId, 'cancelled')
      await finish(tx)
    })
  }
}

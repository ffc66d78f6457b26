// What happens to vector stores by the clock: they expire, and removed files are forgotten.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import type { Attachments } from './files/attachments.ts'
import * as store from './store.ts'

const expireEverySeconds = 60
const forgetEverySeconds = 3600
const storesAtOnce = 100

interface Parts {
  db: Database
  jobs: Jobs
  clock: Clock
  attachments: Attachments
}

export class Upkeep {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.jobs.registerPeriodic('expire-vector-stores', expireEverySeconds, () => this.expireOverdue())
    parts.jobs.registerPeriodic('forget-vector-store-files', forgetEverySeconds, async () => {
      await parts.attachments.forgetRemoved()
    })
  }

  /** Marks stores whose time is over, and removes their contents. */
  async expireOverdue(): Promise<void> {
    const { db, clock, attachments } = this.#parts
    const now = unixSeconds(clock)
    for (;;) {
      const overdue = await store.overdueStores(db.queries, now, storesAtOnce)
      if (overdue.length === 0) return
      for (const { id } of overdue) {
        await db.transaction(async (tx) => {
          if (await store.expireStore(tx, id, now)) await attachments.removeAllIn(tx, id)
        })
      }
    }
  }
}

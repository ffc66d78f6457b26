// Takes away what belonged to something that was deleted, when nobody can find it any more. As much as a commit should
// hold goes with the deletion; where there is more, a job deletes the rest in slices, and others write in between.
import { z } from 'zod'
import type { Tx } from '../db/database.ts'
import { rowsAtOnce } from '../db/slices.ts'
import type { Kernel } from '../kernel.ts'
import type { JobKind, RunningJob } from './jobs.ts'

const Purged = z.strictObject({ id: z.string() })
type Purged = z.output<typeof Purged>

const leaseSeconds = 30
const longestPauseSeconds = 60

/** Deletes at most `limit` rows that belonged to `id`, and resolves to them: as many as that, and there may be more. */
export type DeleteSome = (tx: Tx, id: string, limit: number) => Promise<readonly unknown[]>

export class Purge {
  readonly #kernel: Pick<Kernel, 'db' | 'jobs'>
  readonly #kind: JobKind<Purged>
  readonly #limit: number
  readonly #deletions: DeleteSome[] = []

  /** Before the jobs start: it registers a kind of them. `limit`: less, where a row costs more than its deletion. */
  constructor(kernel: Pick<Kernel, 'db' | 'jobs'>, name: string, limit = rowsAtOnce) {
    this.#kernel = kernel
    this.#limit = limit
    this.#kind = {
      name: `purge-${name}`,
      payload: Purged,
      // There is nobody to tell that something was left behind.
      maxAttempts: Number.MAX_SAFE_INTEGER,
      ...{ leaseSeconds, concurrency: 1 },
      backoffSeconds: (attempt) => Math.min(longestPauseSeconds, 2 ** Math.min(attempt, 6)),
      run: (job) => this.#run(job),
    }
    kernel.jobs.register(this.#kind)
  }

  /** One after the other: rows that lead to others come after those. */
  add(...deletions: DeleteSome[]): this {
    this.#deletions.push(...deletions)
    return this
  }

  /** In the transaction that deletes what they belong to. `tenant`: whose it was. */
  async purgeIn(tx: Tx, id: string, tenant = ''): Promise<void> {
    if (await this.#deleteSome(tx, id)) await this.#kernel.jobs.enqueue(tx, this.#kind, { id }, { tenant })
  }

  async #run({ payload: { id }, signal }: RunningJob<Purged>): Promise<void> {
    const { db } = this.#kernel
    while (await db.transaction((tx) => this.#deleteSome(tx, id))) signal.throwIfAborted()
  }

  /** Whether there may be more. */
  async #deleteSome(tx: Tx, id: string): Promise<boolean> {
    for (const deletion of this.#deletions) {
      if ((await deletion(tx, id, this.#limit)).length >= this.#limit) return true
    }
    return false
  }
}

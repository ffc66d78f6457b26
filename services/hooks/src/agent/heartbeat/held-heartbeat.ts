// The heartbeat in the hands of the one node that has its job: whatever changes, changes only while that is so.
import type { Tx } from '@atoll/kernel/db/database'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import { changeHeartbeat, type HeartbeatRow } from './store.ts'

export class HeldHeartbeat {
  /** As it was when the job began. */
  readonly row: HeartbeatRow
  readonly #job: Pick<RunningJob<null>, 'signal' | 'confirm' | 'finish'>
  readonly #lookAgain: (tx: Tx, row: HeartbeatRow) => Promise<void>

  /** `lookAgain` sees to it that somebody looks when something of the row comes due. */
  constructor(
    row: HeartbeatRow,
    job: Pick<RunningJob<null>, 'signal' | 'confirm' | 'finish'>,
    lookAgain: (tx: Tx, row: HeartbeatRow) => Promise<void>,
  ) {
    this.row = row
    this.#job = job
    this.#lookAgain = lookAgain
  }

  /** Aborted when the job is lost, or the gateway stops. */
  get signal(): AbortSignal {
    return this.#job.signal
  }

  /** Throws, and so undoes `tx`, when the job is lost. */
  async change(tx: Tx, change: Partial<HeartbeatRow>): Promise<void> {
    await this.#job.confirm(tx)
    await changeHeartbeat(tx, change)
  }

  /** The last change of this job, and its end, in one commit. */
  async end(tx: Tx, change: Partial<HeartbeatRow>): Promise<void> {
    await this.#lookAgain(tx, await changeHeartbeat(tx, change))
    await this.#job.finish(tx)
  }
}

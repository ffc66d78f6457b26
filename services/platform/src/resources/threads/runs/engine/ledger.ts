// What one attempt at a run writes down. Every commit also checks that nobody has ended the run meanwhile or works on it
// in this attempt's place, and is told to readers once it is durable.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import { proceedRun, type RunRow } from '../run-rows.ts'
import type { StepDetails } from '../steps/schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import { noWork } from '../steps/work.ts'
import { type RunEvent, runReached } from '../stream/events.ts'
import type { WorkParts } from './work-parts.ts'

/** Someone has cancelled, expired or deleted the run: what was about to be written is not. */
export class RunChanged extends Error {
  override readonly name = 'RunChanged'
}

export interface RunState {
  run: RunRow
  steps: StepRow[]
}

export interface Written {
  events?: RunEvent[]
  /** New or changed. */
  steps?: StepRow[]
}

/** A model that answers within this time saves the run a commit. */
const beginAfterMs = 3

export class Ledger {
  readonly #parts: WorkParts
  readonly #job: RunningJob<unknown>
  readonly #onChanged: () => void
  #run: RunRow
  #steps: StepRow[]
  #hasBegun = false
  #timer: NodeJS.Timeout | undefined
  #beginning: Promise<void> | undefined

  constructor(parts: WorkParts, job: RunningJob<unknown>, { run, steps }: RunState, onChanged: () => void) {
    this.#parts = parts
    this.#job = job
    this.#run = run
    this.#steps = steps
    this.#onChanged = onChanged
  }

  get run(): RunRow {
    return this.#run
  }

  /** Readers know that it is in progress. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get steps(): readonly StepRow[] {
    return this.#steps
  }

  /** The run is in progress, soon at the latest: the first commit says it too. */
  beginSoon(): void {
    if (this.#hasBegun || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#beginning = this.#write({}, async () => ({})).catch((error: unknown) => {
        if (error instanceof RunChanged) this.#onChanged()
        else this.#parts.log.warn({ err: error, run: this.#run.id }, 'Could not write down that a run has begun.')
      })
    }, beginAfterMs)
  }

  async write(change: Partial<RunRow>, work: (tx: Tx, now: number) => Promise<Written>): Promise<void> {
    await this.settle()
    await this.#write(change, work)
  }

  /** Nothing is being written any more. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#beginning
  }

  tell(event: RunEvent): void {
    this.#parts.hub.tell(this.#run.id, event)
  }

  newStep(turn: number, details: StepDetails): StepRow {
    const { id, thread_id, assistant_id } = this.#run
    return {
      ...newObject(this.#parts, 'step_'),
      ...{ run_id: id, thread_id, assistant_id, turn },
      status: 'in_progress',
      details: JSON.stringify(details),
      work: JSON.stringify(noWork),
      ...{ last_error: null, prompt_tokens: null, completion_tokens: null },
      ...{ cancelled_at: null, completed_at: null, expired_at: null, failed_at: null },
    }
  }

  async #write(change: Partial<RunRow>, work: (tx: Tx, now: number) => Promise<Written>): Promise<void> {
    const { db, clock, hub } = this.#parts
    const { run, events, steps } = await db.transaction(async (tx) => {
      const now = unixSeconds(clock)
      const [, run, { events = [], steps = [] }] = await together([
        this.#job.confirm(tx),
        proceedRun(tx, this.#run.id, now, change),
        work(tx, now),
      ])
      if (run === undefined) throw new RunChanged()
      await hub.announce(tx, run.id, run.status)
      return { run, events, steps }
    })
    this.#run = run
    this.#keep(steps)
    if (!this.#hasBegun) this.tell(runReached({ ...run, status: 'in_progress', required_action: null }))
    this.#hasBegun = true
    for (const event of events) this.tell(event)
    if (run.status !== 'in_progress') this.tell(runReached(run))
  }

  #keep(changed: readonly StepRow[]): void {
    for (const step of changed) {
      const at = this.#steps.findIndex(({ id }) => id === step.id)
      if (at < 0) this.#steps.push(step)
      else this.#steps[at] = step
    }
  }
}

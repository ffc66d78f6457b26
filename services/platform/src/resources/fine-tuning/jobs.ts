// The work of a fine-tuning job as a durable one: killed at any instant, it goes on from where it was.
import type { Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { JobKind, Jobs, ReleasedJob, RunningJob } from '@atoll/kernel/jobs/jobs'
import { z } from 'zod'
import { TuningFolders } from './folders.ts'
import { failureOf } from './job-failure.ts'
import type { JobLedger } from './ledger.ts'
import { LocalTraining, type LocalTrainingParts } from './local-training.ts'
import { cancelRemote, RemoteTraining, type RemoteTrainingParts } from './remote-training.ts'
import type { FineTuningJobRow } from './store.ts'

const Payload = z.strictObject({ id: z.string() })
type Payload = z.output<typeof Payload>

const cancelledTopic = 'fine-tuning.cancelled'

const longestPauseSeconds = 60
const maxAttempts = 50
/** Others do the work: this machine only looks after them. */
const remoteAtOnce = 32

interface Parts extends LocalTrainingParts, RemoteTrainingParts {
  events: Events
  jobs: Jobs
  ledger: JobLedger
  /** What trainings keep until they have ended, a folder for each. */
  folder: string
}

export class TuningJobs {
  readonly #parts: Parts
  readonly #folders: TuningFolders
  readonly #unsubscribe: () => void
  readonly #here: JobKind<Payload>
  readonly #elsewhere: JobKind<Payload>
  readonly #cancelling: JobKind<Payload>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#folders = new TuningFolders(parts.folder)
    this.#unsubscribe = parts.events.subscribe(cancelledTopic, (payload) => this.#forget(payload))
    const common = {
      payload: Payload,
      maxAttempts,
      leaseSeconds: 15,
      backoffSeconds: (tries: number) => Math.min(longestPauseSeconds, 2 ** Math.min(tries, 6)),
      released: (tx: Tx, job: ReleasedJob<Payload>) => this.#released(tx, job),
    }
    this.#here = {
      ...{ ...common, name: 'fine-tuning', concurrency: 1 },
      run: (job) => this.#run(job, (row, folder) => new LocalTraining(parts, job, row).run(folder)),
    }
    this.#elsewhere = {
      ...{ ...common, name: 'fine-tuning-elsewhere', concurrency: remoteAtOnce },
      run: (job) => this.#run(job, (row, folder) => new RemoteTraining(parts, job, row).run(folder)),
    }
    this.#cancelling = {
      ...{ ...common, name: 'fine-tuning-cancel-elsewhere', concurrency: remoteAtOnce },
      run: (job) => this.#cancelElsewhere(job),
    }
    for (const kind of [this.#here, this.#elsewhere, this.#cancelling]) parts.jobs.register(kind)
  }

  async start(tx: Tx, { id, project_id }: FineTuningJobRow, where: 'here' | 'elsewhere'): Promise<string | null> {
    const { ledger, jobs } = this.#parts
    const kind = where === 'here' ? this.#here : this.#elsewhere
    await ledger.tell(tx, id, [{ message: `Created fine-tuning job: ${id}` }])
    return (await jobs.enqueue(tx, kind, { id }, { tenant: project_id })) ?? null
  }

  /** Whatever runs of it loses its lease, and ends. */
  async stop(tx: Tx, { id, work_id, remote, project_id }: FineTuningJobRow): Promise<void> {
    const { ledger, jobs, events } = this.#parts
    await ledger.tell(tx, id, [{ message: 'Fine-tuning job cancelled' }])
    if (work_id !== null) await jobs.cancel(tx, work_id)
    if (remote !== null) await jobs.enqueue(tx, this.#cancelling, { id }, { tenant: project_id })
    await events.publish(tx, cancelledTopic, { id })
  }

  /** What runs of it removes its folder at its end; of one that is paused nothing runs, and any node may have that. */
  #forget(payload: unknown): void {
    const read = Payload.safeParse(payload)
    if (!read.success) return
    const { log } = this.#parts
    this.#folders.remove(read.data.id).catch((error: unknown) => log.warn({ err: error }, 'A folder was not removed.'))
  }

  close(): void {
    this.#unsubscribe()
  }

  /** What runs of it ends as above, and its folder stays: there the last record of its steps lies. */
  async pause(tx: Tx, { id, work_id }: FineTuningJobRow): Promise<void> {
    const { ledger, jobs } = this.#parts
    await ledger.tell(tx, id, [{ message: 'Fine-tuning job paused' }])
    if (work_id !== null) await jobs.cancel(tx, work_id)
  }

  /** The id of the job that does it from now on. */
  async resume(tx: Tx, { id, project_id }: FineTuningJobRow): Promise<string | null> {
    const { ledger, jobs } = this.#parts
    await ledger.tell(tx, id, [{ message: 'Fine-tuning job resumed' }])
    return (await jobs.enqueue(tx, this.#here, { id }, { tenant: project_id })) ?? null
  }

  async #cancelElsewhere({ payload, signal }: RunningJob<Payload>): Promise<void> {
    const row = await this.#parts.ledger.find(payload.id)
    const server = row && (await this.#parts.serverOf(row.model))
    if (server) await cancelRemote(server, row, { signal, turn: row.project_id, background: true })
  }

  async #run(job: RunningJob<Payload>, train: (row: FineTuningJobRow, folder: string) => Promise<void>): Promise<void> {
    const { ledger } = this.#parts
    const row = await ledger.findGoing(job.payload.id)
    if (row === undefined) return
    try {
      const folder = await this.#folders.make(row.id)
      await this.#folders.sweep((id) => ledger.isOpen(id))
      if (row.status === 'queued') await this.#begun(job, row)
      await train(row, folder)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      await ledger.fail(job, row, failure.error)
    } finally {
      // One that was only interrupted, or is paused, goes on from what lies there.
      if (!(await ledger.isOpen(row.id))) await this.#folders.remove(row.id)
    }
  }

  async #begun(job: RunningJob<Payload>, row: FineTuningJobRow): Promise<void> {
    const { ledger } = this.#parts
    // One that was paused after a step has valid files.
    if (row.told_steps > 0) return void (await ledger.change(job, row, { status: 'running' }))
    const both = row.validation_file === null ? '' : ` and validation file: ${row.validation_file}`
    const message = `Validating training file: ${row.training_file}${both}`
    await ledger.change(job, row, { status: 'validating_files' }, [{ message }])
  }

  /** Tried often enough. */
  async #released(tx: Tx, { payload, end, error }: ReleasedJob<Payload>): Promise<void> {
    if (end !== 'dead') return
    const message = `The training failed: ${error}`
    await this.#parts.ledger.failIn(tx, payload.id, { code: 'training_failed', message, param: null })
  }
}

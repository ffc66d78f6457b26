// A training by the server behind a model: handed on, followed, and its result served under an id of ours. What is known
// there is written down before the next step, so that nothing is begun twice.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import type { Call } from '@atoll/models/call'
import { ModelProblem } from '@atoll/models/problem'
import type { RemoteCheckpoint, RemoteEvent, RemoteJob, TrainingServer } from '@atoll/models/train'
import type { Files } from '../files/service.ts'
import { JobFailure } from './job-failure.ts'
import { copyExamples } from './job-files.ts'
import { type Claim, checkpointName, type JobLedger, modelName, type NewEvent, type TrainedModel } from './ledger.ts'
import { inOwnIds } from './own-ids.ts'
import { Hyperparameters } from './schema.ts'
import type { FineTuningJobRow } from './store.ts'

const firstPauseMs = 500
const longestPauseMs = 15_000
const maxResultsBytes = 64 * 1024 * 1024

export interface RemoteTrainingParts {
  blobs: BlobStore
  files: Files
  ledger: JobLedger
  /** The server behind a model's id that fine-tunes it. */
  serverOf(model: string): Promise<TrainingServer | undefined>
}

/** What the server knows of a job. */
interface RemoteState {
  training_file?: string
  validation_file?: string
  job?: string
  /** The last event that was told on. */
  event?: string
}

const remoteState = ({ remote }: FineTuningJobRow): RemoteState => (remote === null ? {} : JSON.parse(remote))

/** Under which the examples lie there. */
const uploadName = (row: FineTuningJobRow, param: string): string => `atoll-${row.id}-${param}.jsonl`

export class RemoteTraining {
  readonly #parts: RemoteTrainingParts
  readonly #claim: Claim
  readonly #row: FineTuningJobRow
  readonly #call: Call
  #state: RemoteState

  constructor(parts: RemoteTrainingParts, claim: Claim, row: FineTuningJobRow) {
    this.#parts = parts
    this.#claim = claim
    this.#row = row
    this.#call = { signal: claim.signal, turn: row.project_id, background: true }
    this.#state = remoteState(row)
  }

  async run(folder: string): Promise<void> {
    const server = await this.#parts.serverOf(this.#row.model)
    if (server === undefined) {
      const message = `The model ${this.#row.model} is fine-tuned by no server any more.`
      throw new JobFailure('model_not_available', message, 'model')
    }
    try {
      if (this.#state.job === undefined) await this.#begin(server, folder)
      await this.#finish(server, await this.#follow(server, this.#state.job ?? ''))
    } catch (error) {
      throw refusal(error, (text) => this.#ownWords(server, text)) ?? error
    }
  }

  #ownWords({ model }: TrainingServer, text: string): string {
    return inOwnIds(text, this.#row, { ...this.#state, model })
  }

  async #begin(server: TrainingServer, folder: string): Promise<void> {
    const { files } = this.#parts
    const examples = await copyExamples(files, this.#row, folder, this.#claim.signal)
    for (const [param, path] of [
      ['training_file', examples.training],
      ['validation_file', examples.validation],
    ] as const) {
      if (path === undefined || this.#state[param] !== undefined) continue
      const name = uploadName(this.#row, param)
      const id = (await server.findUpload(name, this.#call)) ?? (await server.upload({ name, path }, this.#call))
      await this.#record({ [param]: id })
    }
    const { training_file = '', validation_file } = this.#state
    const { suffix, seed, hyperparameters, integrations } = this.#row
    const found = await server.findByFile(training_file, this.#call)
    const job =
      found ??
      (await server.create(
        {
          ...{ training_file, seed, hyperparameters: JSON.parse(hyperparameters) },
          ...(validation_file !== undefined && { validation_file }),
          ...(suffix !== null && { suffix }),
          ...(integrations !== null && { integrations: JSON.parse(integrations) }),
        },
        this.#call,
      ))
    await this.#record({ job: job.id })
  }

  async #follow(server: TrainingServer, id: string): Promise<RemoteJob> {
    for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
      try {
        const job = await server.find(id, this.#call)
        const news = await server.events(id, this.#state.event, this.#call)
        await this.#mirror(server, job, news)
        if (['succeeded', 'failed', 'cancelled'].includes(job.status)) return job
        if (news.length > 0) pause = firstPauseMs
      } catch (error) {
        // It may be away for hours: its trainings go on when it is back.
        if (!passes(error)) throw error
      }
      await setTimeout(pause, undefined, { signal: this.#claim.signal })
    }
  }

  async #mirror(server: TrainingServer, job: RemoteJob, news: readonly RemoteEvent[]): Promise<void> {
    const isRunning = job.status === 'running' || job.status === 'succeeded'
    const chosen = Hyperparameters.safeParse(job.hyperparameters)
    const event = news.at(-1)?.id ?? this.#state.event
    this.#state = { ...this.#state, ...(event !== undefined && { event }) }
    const change = {
      remote: JSON.stringify(this.#state),
      estimated_finish: job.estimated_finish,
      ...(isRunning && { status: 'running' as const }),
      ...(chosen.success && { hyperparameters: JSON.stringify(chosen.data) }),
    }
    const events = news.flatMap(ownEvent)
    const told = events.map((one) => ({ ...one, message: this.#ownWords(server, one.message) }))
    await this.#parts.ledger.change(this.#claim, this.#row, change, told)
  }

  async #finish(server: TrainingServer, job: RemoteJob): Promise<void> {
    if (job.status !== 'succeeded' || job.fine_tuned_model === null) {
      const { code, message } = job.error ?? { code: 'training_failed', message: `The job is ${job.status} there.` }
      throw new JobFailure(code, `The server that trains this model gave up: ${this.#ownWords(server, message)}`)
    }
    const checkpoints = await server.checkpoints(job.id, this.#call)
    const [file] = job.result_files
    const content = file === undefined ? undefined : await server.content(file, this.#call)
    const results = content && (await this.#parts.blobs.write(Readable.from(content), { maxBytes: maxResultsBytes }))
    await this.#parts.ledger.succeed(this.#claim, this.#row, {
      models: modelsOf(this.#row, checkpoints, job.fine_tuned_model),
      results,
      trainedTokens: job.trained_tokens,
    })
  }

  async #record(more: RemoteState): Promise<void> {
    this.#state = { ...this.#state, ...more }
    await this.#parts.ledger.change(this.#claim, this.#row, { remote: JSON.stringify(this.#state) })
  }
}

/** Ends what the server does of a job that was cancelled here, also what was begun unknown to us. */
export async function cancelRemote(server: TrainingServer, row: FineTuningJobRow, call: Call): Promise<void> {
  const state = remoteState(row)
  const file = state.training_file ?? (await server.findUpload(uploadName(row, 'training_file'), call))
  const id = state.job ?? (file === undefined ? undefined : (await server.findByFile(file, call))?.id)
  if (id === undefined) return
  const { status } = await server.find(id, call)
  if (!['succeeded', 'failed', 'cancelled'].includes(status)) await server.cancel(id, call)
}

/** Those that we tell ourselves, with our own ids, are left out. */
const ownWords =
  /^(?:Created fine-tuning job|Validating training file|Files validated|Fine-tuning job started|Checkpoint created|New fine-tuned model created|The job has successfully completed)/

function ownEvent({ message, level, type, data }: RemoteEvent): NewEvent[] {
  if (type !== 'metrics' && ownWords.test(message)) return []
  const known = level === 'warn' || level === 'error' ? level : 'info'
  return [{ message, level: known, ...(type === 'metrics' && { data: data ?? {} }) }]
}

function modelsOf(row: FineTuningJobRow, checkpoints: readonly RemoteCheckpoint[], final: string): TrainedModel[] {
  const trained = checkpoints.map(({ fine_tuned_model_checkpoint: remoteModel, step_number: step, metrics }) => ({
    id: checkpointName(row, step),
    ...{ step, metrics: { ...metrics, step }, source: { remoteModel } },
  }))
  const last = trained.find(({ source }) => source.remoteModel === final)
  const step = last?.step ?? Math.max(0, ...trained.map((one) => one.step))
  return [
    ...trained.filter((one) => one !== last),
    { id: modelName(row), step, metrics: last?.metrics ?? { step }, source: { remoteModel: final } },
  ]
}

const passes = (error: unknown): boolean =>
  error instanceof ModelProblem &&
  (error.detail.kind !== 'upstream' || error.detail.status >= 500 || [408, 409, 429].includes(error.detail.status))

/** A refusal of the server is told to whoever began the job; its own trouble with our key is not. */
function refusal(error: unknown, ownWords: (text: string) => string): JobFailure | undefined {
  if (!(error instanceof ModelProblem) || error.detail.kind !== 'upstream' || passes(error)) return undefined
  const { status, error: told } = error.detail
  const words =
    status === 401 || status === 403 || told === undefined ? `it refused with status ${status}` : ownWords(told.message)
  return new JobFailure('training_failed', `The server that trains this model cannot do this job: ${words}`)
}

// The work of a fine-tuning job as a durable one: killed at any instant, it goes on from its last step.
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { JobKind, Jobs, ReleasedJob, RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { StepMeasures } from '@atoll/trainer/train/training'
import type { TuningEvent } from '@atoll/trainer/tuning/protocol'
import { tune } from '@atoll/trainer/tuning/tune'
import { z } from 'zod'
import { fineTuningErrors } from '../../errors/errors.ts'
import { ifNotFound } from '../../errors/if-not-found.ts'
import type { FileOwner, Files } from '../files/service.ts'
import type { Models } from '../models/service.ts'
import type { AdapterFiles } from './adapter-files.ts'
import { metricsOf, resultsTable } from './results-file.ts'
import type { FineTuningEvent, Hyperparameters, JobError } from './schema.ts'
import * as store from './store.ts'

const Payload = z.strictObject({ id: z.string() })
type Payload = z.output<typeof Payload>

/** Models of the last epochs, each of which can be used. */
const keptCheckpoints = 3
const longestPauseSeconds = 60
const maxAttempts = 50
const maxResultsBytes = 64 * 1024 * 1024
const going = ['queued', 'validating_files', 'running'] as const

interface Parts {
  db: Database
  blobs: BlobStore
  jobs: Jobs
  ids: Ids
  clock: Clock
  log: Log
  files: Files
  models: Models
  adapters: AdapterFiles
  /** The GGUF file behind a model's id. Undefined: it is none. */
  fileOf(model: string): Promise<string | undefined>
  folder: string
  settings: { cores?: number | undefined; niceness: number }
}

interface Epoch {
  epoch: number
  step: number
  file: string
}

/** What an attempt has seen so far. */
interface Seen {
  steps: number
  measures: StepMeasures[]
  trainedTokens: number
  epochs: Epoch[]
  startedAt: number
  stepsAtStart: number
}

export class TuningJobs {
  readonly #parts: Parts
  readonly #kind: JobKind<Payload>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kind = {
      name: 'fine-tuning',
      payload: Payload,
      maxAttempts,
      leaseSeconds: 15,
      concurrency: 1,
      backoffSeconds: (tries) => Math.min(longestPauseSeconds, 2 ** Math.min(tries, 6)),
      run: (job) => this.#run(job),
      released: (tx, job) => this.#released(tx, job),
    }
    parts.jobs.register(this.#kind)
  }

  /** Throws when the model cannot be trained here. */
  async baseFile(owner: FileOwner, model: string): Promise<string> {
    await this.#parts.models.get(owner, model)
    const file = await this.#parts.fileOf(model)
    if (file === undefined) throw fineTuningErrors.cannotTrain(model)
    return file
  }

  async start(tx: Tx, row: store.FineTuningJobRow): Promise<string | null> {
    await store.insertEvents(tx, [this.#event(row.id, `Created fine-tuning job: ${row.id}`)])
    return (await this.#parts.jobs.enqueue(tx, this.#kind, { id: row.id }, { tenant: row.project_id })) ?? null
  }

  /** Whatever runs of it loses its lease, and ends. */
  async stop(tx: Tx, row: store.FineTuningJobRow): Promise<void> {
    await store.insertEvents(tx, [this.#event(row.id, 'Fine-tuning job cancelled')])
    if (row.work_id !== null) await this.#parts.jobs.cancel(tx, row.work_id)
  }

  async #run(job: RunningJob<Payload>): Promise<void> {
    const row = await this.#goingRow(job.payload.id)
    if (row === undefined) return
    const folder = this.#folder(row.id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      await this.#train(job, row, folder)
    } finally {
      // One that was only interrupted goes on from what lies there.
      if ((await this.#goingRow(row.id)) === undefined) await rm(folder, { recursive: true, force: true })
    }
  }

  async #goingRow(id: string): Promise<store.FineTuningJobRow | undefined> {
    const row = await store.findJob(this.#parts.db.queries, id)
    return row !== undefined && going.some((status) => status === row.status) ? row : undefined
  }

  async #train(job: RunningJob<Payload>, row: store.FineTuningJobRow, folder: string): Promise<void> {
    if (row.status === 'queued') await this.#validating(job, row)
    const request = await this.#request(job, row, folder)
    if (request === undefined) return
    const seen: Seen = {
      ...{ steps: 0, measures: [], trainedTokens: 0, epochs: [] },
      ...{ startedAt: performance.now(), stepsAtStart: 0 },
    }
    const onLog = (line: string): void => this.#parts.log.warn({ job: row.id }, line)
    for await (const event of tune(request, { signal: job.signal, onLog })) {
      if (event.kind === 'failed')
        return this.#fail(job, row, { code: 'training_failed', message: event.message, param: null })
      if (event.kind === 'invalid') return this.#fail(job, row, invalidFile(event))
      await this.#note(job, row, event, seen)
    }
    await this.#succeed(job, row, seen)
  }

  async #validating(job: RunningJob<Payload>, row: store.FineTuningJobRow): Promise<void> {
    const both = row.validation_file === null ? '' : ` and validation file: ${row.validation_file}`
    await this.#change(job, row, { status: 'validating_files' }, [
      this.#event(row.id, `Validating training file: ${row.training_file}${both}`),
    ])
  }

  /** The files lie in the folder for the process to read. Undefined: something is not there any more. */
  async #request(job: RunningJob<Payload>, row: store.FineTuningJobRow, folder: string) {
    const owner = { organizationId: row.organization_id, projectId: row.project_id }
    const copy = async (id: string, param: string): Promise<string | undefined> => {
      const content = await this.#parts.files.content(owner, id).catch(ifNotFound)
      if (content === undefined) {
        const message = `The file ${id} was deleted before it could be read.`
        await this.#fail(job, row, { code: 'file_not_found', message, param })
        return undefined
      }
      const path = join(folder, `${param}.jsonl`)
      await pipeline(content.read(), createWriteStream(path, { mode: 0o600 }), { signal: job.signal })
      return path
    }
    const base = await this.#parts.fileOf(row.model)
    if (base === undefined) {
      const message = `The model ${row.model} is not one in a GGUF file any more.`
      await this.#fail(job, row, { code: 'model_not_available', message, param: 'model' })
      return undefined
    }
    const training = await copy(row.training_file, 'training_file')
    if (training === undefined) return undefined
    const validation = row.validation_file === null ? undefined : await copy(row.validation_file, 'validation_file')
    if (row.validation_file !== null && validation === undefined) return undefined
    const { n_epochs, batch_size, learning_rate_multiplier } = JSON.parse(row.hyperparameters) as Hyperparameters
    const cores = this.#parts.settings.cores ?? availableParallelism()
    return {
      ...{ base, training, validation, folder, seed: row.seed },
      ...{ epochs: n_epochs, batchSize: batch_size, rateMultiplier: learning_rate_multiplier },
      threads: Math.max(1, Math.min(cores, availableParallelism())),
      niceness: this.#parts.settings.niceness,
      name: row.id,
    }
  }

  async #note(job: RunningJob<Payload>, row: store.FineTuningJobRow, event: TuningEvent, seen: Seen): Promise<void> {
    switch (event.kind) {
      case 'validated':
        return this.#validated(job, row, event)
      case 'began': {
        const { steps, doneSteps, trainedTokens } = event
        Object.assign(seen, { steps, trainedTokens, measures: [...doneSteps], stepsAtStart: doneSteps.length })
        const told = (await store.findJob(this.#parts.db.queries, row.id))?.told_steps ?? 0
        return this.#tellSteps(job, row, seen, doneSteps.slice(told))
      }
      case 'step':
        seen.measures.push(event.measures)
        seen.trainedTokens = event.trainedTokens
        return this.#tellSteps(job, row, seen, [event.measures])
      case 'epoch':
        seen.epochs = [...seen.epochs.filter(({ epoch }) => epoch !== event.epoch), event]
    }
  }

  async #validated(
    job: RunningJob<Payload>,
    row: store.FineTuningJobRow,
    { cut, chosen }: Extract<TuningEvent, { kind: 'validated' }>,
  ): Promise<void> {
    const hyperparameters = JSON.stringify({
      n_epochs: chosen.epochs,
      batch_size: chosen.batchSize,
      learning_rate_multiplier: chosen.rateMultiplier,
    })
    const events = [this.#event(row.id, 'Files validated'), this.#event(row.id, 'Fine-tuning job started')]
    if (cut > 0) {
      const message = `${cut} examples are longer than the model's context and were cut.`
      events.splice(1, 0, { ...this.#event(row.id, message), level: 'warn' })
    }
    const isFirst = (await store.findJob(this.#parts.db.queries, row.id))?.status === 'validating_files'
    await this.#change(job, row, { status: 'running', hyperparameters }, isFirst ? events : [])
  }

  async #tellSteps(
    job: RunningJob<Payload>,
    row: store.FineTuningJobRow,
    seen: Seen,
    steps: readonly StepMeasures[],
  ): Promise<void> {
    const last = steps.at(-1)
    if (last === undefined) return
    const events = steps.map((measures) => {
      const metrics = metricsOf(measures)
      const message = `Step ${measures.step}/${seen.steps}: training loss=${metrics.train_loss.toFixed(2)}`
      const data = JSON.stringify({ ...metrics, total_steps: seen.steps })
      return { ...this.#event(row.id, message), type: 'metrics' as const, data }
    })
    const msPerStep = (performance.now() - seen.startedAt) / Math.max(1, last.step - seen.stepsAtStart)
    const left = Math.ceil(((seen.steps - last.step) * msPerStep) / 1000)
    const estimated_finish = unixSeconds(this.#parts.clock) + left
    await this.#change(job, row, { told_steps: last.step, estimated_finish }, events)
  }

  async #succeed(job: RunningJob<Payload>, row: store.FineTuningJobRow, seen: Seen): Promise<void> {
    const { db, adapters, models, files, blobs, clock, ids } = this.#parts
    const owner = { organizationId: row.organization_id, projectId: row.project_id }
    const model = modelName(row)
    const kept = seen.epochs.slice(-keptCheckpoints)
    const stored = await Promise.all(kept.map(async (one) => ({ ...one, blob: await adapters.store(one.file) })))
    const results = await blobs.write(Readable.from([resultsTable(seen.measures)]), { maxBytes: maxResultsBytes })
    await db.transaction(async (tx) => {
      const events: store.FineTuningEventRow[] = []
      const rows: store.FineTuningCheckpointRow[] = []
      for (const { step, blob } of stored) {
        const isLast = step === seen.steps
        const id = isLast ? model : `${model}:ckpt-step-${step}`
        await adapters.keep(tx, id, blob)
        await models.addFineTuned(tx, owner, id, row.model, { hasAdapter: true })
        const measures = seen.measures.find((one) => one.step === step)
        const metrics = JSON.stringify(measures === undefined ? { step } : metricsOf(measures))
        rows.push({ ...newObject({ ids, clock }, 'ftckpt_'), job_id: row.id, model: id, step_number: step, metrics })
        if (!isLast) events.push(this.#event(row.id, `Checkpoint created at step ${step} with Snapshot ID: ${id}`))
      }
      const { id: result_file } = await files.keepResults(tx, owner, 'step_metrics.csv', results)
      events.push(this.#event(row.id, `New fine-tuned model created: ${model}`))
      events.push(this.#event(row.id, 'The job has successfully completed'))
      await store.insertCheckpoints(tx, rows)
      const change = {
        status: 'succeeded' as const,
        ...{ fine_tuned_model: model, result_file, trained_tokens: seen.trainedTokens },
        ...{ finished_at: unixSeconds(clock), estimated_finish: null },
      }
      if (!(await store.changeJob(tx, row.id, going, change))) throw new Error('The job was cancelled meanwhile')
      await store.insertEvents(tx, events)
      await job.finish(tx)
    })
  }

  async #fail(job: RunningJob<Payload>, row: store.FineTuningJobRow, error: JobError): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await this.#failIn(tx, row.id, error)
      await job.finish(tx)
    })
  }

  async #failIn(tx: Tx, id: string, error: JobError): Promise<void> {
    const finished_at = unixSeconds(this.#parts.clock)
    const change = { status: 'failed' as const, error: JSON.stringify(error), finished_at, estimated_finish: null }
    if (!(await store.changeJob(tx, id, going, change))) return
    await store.insertEvents(tx, [{ ...this.#event(id, error.message), level: 'error' }])
  }

  /** Tried often enough. */
  async #released(tx: Tx, { payload, end, error }: ReleasedJob<Payload>): Promise<void> {
    if (end !== 'dead') return
    await this.#failIn(tx, payload.id, {
      code: 'training_failed',
      message: `The training failed: ${error}`,
      param: null,
    })
  }

  async #change(
    job: RunningJob<Payload>,
    { id }: store.FineTuningJobRow,
    change: Partial<store.FineTuningJobRow>,
    events: store.FineTuningEventRow[],
  ): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await job.confirm(tx)
      if (!(await store.changeJob(tx, id, going, change))) return
      if (events.length > 0) await store.insertEvents(tx, events)
    })
  }

  #event(jobId: string, message: string): store.FineTuningEventRow {
    const { ids, clock } = this.#parts
    const plain = { level: 'info', type: 'message', data: null } satisfies Partial<FineTuningEvent>
    return { ...newObject({ ids, clock }, 'ftevent-'), job_id: jobId, message, ...plain }
  }

  #folder(id: string): string {
    return join(this.#parts.folder, id)
  }
}

/** INF-145 */
function modelName({ model, organization_id, suffix, id }: store.FineTuningJobRow): string {
  const organization = organization_id.replace(/^org-/, '').toLowerCase()
  return `ft:${model}:${organization}:${suffix ?? ''}:${id.slice(-8)}`
}

const shownLines = 50

function invalidFile({ file, message, errors }: Extract<TuningEvent, { kind: 'invalid' }>): JobError {
  const lines = errors.slice(0, shownLines).map(({ line, message: reason }) => `Line ${line}: ${reason}.`)
  return { code: `invalid_${file}_file`, message: [message, ...lines].join('\n'), param: `${file}_file` }
}

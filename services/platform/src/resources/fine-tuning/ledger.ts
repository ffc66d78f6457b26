// What is written down of fine-tuning jobs: their states, what they tell, and what came of them.
import type { StoredBlob } from '@atoll/kernel/blobs/blobs'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Files } from '../files/service.ts'
import type { Models } from '../models/service.ts'
import type { AdapterFiles } from './adapter-files.ts'
import type { CheckpointMetrics, FineTuningEvent, JobError } from './schema.ts'
import * as store from './store.ts'

type Row = store.FineTuningJobRow

/** The claim on a job, without which nothing is written. */
export type Claim = Pick<RunningJob<unknown>, 'confirm' | 'finish' | 'signal'>

export interface NewEvent {
  message: string
  level?: FineTuningEvent['level']
  data?: object
}

/** A model that a training left: what to add to its base, or the id it has at the server that trained it. */
export interface TrainedModel {
  id: string
  step: number
  metrics: CheckpointMetrics | { step: number }
  source: { blob: StoredBlob; baseSha256: string | null } | { remoteModel: string }
}

export interface Outcome {
  /** The last of them is the job's own. */
  models: TrainedModel[]
  results: StoredBlob | undefined
  trainedTokens: number | null
}

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  files: Files
  models: Models
  adapters: AdapterFiles
}

export const going = ['queued', 'validating_files', 'running'] as const
/** What lies there of them is still needed. */
export const open = [...going, 'paused'] as const

export class JobLedger {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  find(id: string): Promise<Row | undefined> {
    return store.findJob(this.#parts.db.queries, id)
  }

  /** Undefined: it has ended, or is paused. */
  async findGoing(id: string): Promise<Row | undefined> {
    const row = await this.find(id)
    return row !== undefined && going.some((status) => status === row.status) ? row : undefined
  }

  async isOpen(id: string): Promise<boolean> {
    const row = await this.find(id)
    return row !== undefined && open.some((status) => status === row.status)
  }

  /** The changed row; undefined when the job has ended meanwhile. */
  change(claim: Claim, { id }: Row, change: Partial<Row>, events: readonly NewEvent[] = []): Promise<Row | undefined> {
    return this.#parts.db.transaction(async (tx) => {
      await claim.confirm(tx)
      const changed = await store.changeJob(tx, id, going, change)
      if (changed) await this.tell(tx, id, events)
      return changed
    })
  }

  async fail(claim: Claim, { id }: Row, error: JobError): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      await this.failIn(tx, id, error)
      await claim.finish(tx)
    })
  }

  async failIn(tx: Tx, id: string, error: JobError): Promise<void> {
    const finished_at = unixSeconds(this.#parts.clock)
    const change = { status: 'failed' as const, error: JSON.stringify(error), finished_at, estimated_finish: null }
    if (!(await store.changeJob(tx, id, going, change))) return
    await this.tell(tx, id, [{ message: error.message, level: 'error' }])
  }

  /** The job's models, checkpoints, results and end are one commit. */
  async succeed(claim: Claim, row: Row, { models, results, trainedTokens }: Outcome): Promise<void> {
    const { db, files, clock } = this.#parts
    const owner = { organizationId: row.organization_id, projectId: row.project_id }
    const last = models.at(-1)
    if (last === undefined) throw new Error('A training ended without a model')
    await db.transaction(async (tx) => {
      for (const model of models) await this.#keepModel(tx, row, model)
      const kept = results && (await files.keepResults(tx, owner, 'step_metrics.csv', results))
      const change = {
        status: 'succeeded' as const,
        ...{ fine_tuned_model: last.id, result_file: kept?.id ?? null, trained_tokens: trainedTokens },
        ...{ finished_at: unixSeconds(clock), estimated_finish: null },
      }
      if (!(await store.changeJob(tx, row.id, going, change))) throw new Error('The job was cancelled meanwhile')
      await this.tell(tx, row.id, [
        ...models.slice(0, -1).map(({ id, step }) => ({
          message: `Checkpoint created at step ${step} with Snapshot ID: ${id}`,
        })),
        { message: `New fine-tuned model created: ${last.id}` },
        { message: 'The job has successfully completed' },
      ])
      await claim.finish(tx)
    })
  }

  async tell(tx: Tx, jobId: string, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    const { ids, clock } = this.#parts
    const rows = events.map(({ message, level = 'info', data }) => ({
      ...newObject({ ids, clock }, 'ftevent-'),
      ...{ job_id: jobId, level, message },
      ...{ type: data === undefined ? ('message' as const) : ('metrics' as const) },
      data: data === undefined ? null : JSON.stringify(data),
    }))
    await store.insertEvents(tx, rows)
  }

  async #keepModel(tx: Tx, row: Row, { id, step, metrics, source }: TrainedModel): Promise<void> {
    const { ids, clock, models, adapters } = this.#parts
    const owner = { organizationId: row.organization_id, projectId: row.project_id }
    if ('blob' in source) await adapters.keep(tx, id, source.blob)
    await models.addFineTuned(
      ...([tx, owner, id, row.model] as const),
      'blob' in source ? { hasAdapter: true, baseSha256: source.baseSha256 } : { remoteModel: source.remoteModel },
    )
    const checkpoint = { job_id: row.id, model: id, step_number: step, metrics: JSON.stringify(metrics) }
    await store.insertCheckpoints(tx, [{ ...newObject({ ids, clock }, 'ftckpt_'), ...checkpoint }])
  }
}

/** INF-145 */
export function modelName({ model, organization_id, suffix, id }: Row): string {
  const organization = organization_id.replace(/^org-/, '').toLowerCase()
  return `ft:${model}:${organization}:${suffix ?? ''}:${id.slice(-8)}`
}

export const checkpointName = (row: Row, step: number): string => `${modelName(row)}:ckpt-step-${step}`

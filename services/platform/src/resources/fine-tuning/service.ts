// Fine-tuning: a model of this machine taught by a file of examples.
import { randomInt } from 'node:crypto'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../callers.ts'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { fineTuningErrors } from '../../errors/fine-tuning.ts'
import { ifNotFound } from '../../errors/if-not-found.ts'
import type { Files } from '../files/service.ts'
import type { Bases } from './bases.ts'
import type { TuningJobs } from './jobs.ts'
import { going, open } from './ledger.ts'
import { presentCheckpoint, presentEvent, presentJob } from './present.ts'
import {
  type CreateFineTuningJob,
  type FineTuningCheckpoint,
  type FineTuningEvent,
  type FineTuningJob,
  Hyperparameters,
} from './schema.ts'
import * as store from './store.ts'

const maxSeed = 2 ** 31

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  files: Files
  jobs: TuningJobs
  bases: Bases
}

export class FineTuning {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, request: CreateFineTuningJob): Promise<FineTuningJob> {
    const { db, ids, clock, jobs } = this.#parts
    const hyperparameters = askedFor(request)
    const where = await this.#parts.bases.whereTrained(caller, request.model)
    const integrations = request.integrations ?? []
    if (integrations.length > 0 && where === 'here') throw fineTuningErrors.noIntegrations()
    await this.#checkFile(caller, request.training_file, 'training_file')
    if (request.validation_file != null) await this.#checkFile(caller, request.validation_file, 'validation_file')
    const row: store.FineTuningJobRow = {
      ...newObject({ ids, clock }, 'ftjob-'),
      project_id: caller.projectId,
      organization_id: caller.organizationId,
      model: request.model,
      training_file: request.training_file,
      validation_file: request.validation_file ?? null,
      suffix: request.suffix ?? null,
      seed: request.seed ?? randomInt(maxSeed),
      hyperparameters: JSON.stringify(hyperparameters),
      status: 'queued', // INF-129
      ...{ error: null, fine_tuned_model: null, result_file: null, trained_tokens: null },
      ...{ told_steps: 0, work_id: null, finished_at: null, estimated_finish: null },
      remote: where === 'here' ? null : '{}',
      integrations: integrations.length === 0 ? null : JSON.stringify(integrations),
      metadata: request.metadata ? JSON.stringify(request.metadata) : null,
    }
    await db.transaction(async (tx) => {
      row.work_id = await jobs.start(tx, row, where)
      await store.insertJob(tx, row)
    })
    return presentJob(row)
  }

  async get(caller: ProjectCaller, id: string): Promise<FineTuningJob> {
    return presentJob(await this.#find(caller, id))
  }

  list(caller: ProjectCaller, page: PageQuery): Promise<ListEnvelope<FineTuningJob>> {
    const { queries } = this.#parts.db
    return listPage(page, (query) => store.listJobs(queries, caller.projectId, query), presentJob)
  }

  async events(caller: ProjectCaller, id: string, page: PageQuery): Promise<ListEnvelope<FineTuningEvent>> {
    const { queries } = this.#parts.db
    await this.#find(caller, id)
    return listPage(page, (query) => store.listEvents(queries, id, query), presentEvent)
  }

  async checkpoints(caller: ProjectCaller, id: string, page: PageQuery): Promise<ListEnvelope<FineTuningCheckpoint>> {
    const { queries } = this.#parts.db
    await this.#find(caller, id)
    return listPage(page, (query) => store.listCheckpoints(queries, id, query), presentCheckpoint)
  }

  async cancel(caller: ProjectCaller, id: string): Promise<FineTuningJob> {
    const { db, clock, jobs } = this.#parts
    await this.#find(caller, id)
    const cancelled = await db.transaction(async (tx) => {
      const change = { status: 'cancelled' as const, finished_at: unixSeconds(clock), estimated_finish: null }
      const row = await store.changeJob(tx, id, open, change)
      if (row) await jobs.stop(tx, row)
      return row
    })
    const row = cancelled ?? (await this.#find(caller, id))
    if (row.status !== 'cancelled') throw fineTuningErrors.cannotCancel(id, row.status)
    return presentJob(row)
  }

  /** It stops where it is, and keeps its last record; a job that is paused stays so until it is resumed. */
  async pause(caller: ProjectCaller, id: string): Promise<FineTuningJob> {
    const { db, jobs } = this.#parts
    if ((await this.#find(caller, id)).remote !== null) throw fineTuningErrors.cannotPauseElsewhere(id)
    const paused = await db.transaction(async (tx) => {
      const row = await store.changeJob(tx, id, going, { status: 'paused', estimated_finish: null })
      if (row) await jobs.pause(tx, row)
      return row
    })
    const row = paused ?? (await this.#find(caller, id))
    if (row.status !== 'paused') throw fineTuningErrors.cannotPause(id, row.status)
    return presentJob(row)
  }

  async resume(caller: ProjectCaller, id: string): Promise<FineTuningJob> {
    const { db, jobs } = this.#parts
    await this.#find(caller, id)
    const resumed = await db.transaction(async (tx) => {
      const row = await store.changeJob(tx, id, ['paused'], { status: 'queued' })
      return row && store.changeJob(tx, id, ['queued'], { work_id: await jobs.resume(tx, row) })
    })
    if (resumed !== undefined) return presentJob(resumed)
    throw fineTuningErrors.cannotResume(id, (await this.#find(caller, id)).status)
  }

  async #checkFile(caller: ProjectCaller, id: string, param: string): Promise<void> {
    const file = await this.#parts.files.get(caller, id).catch(ifNotFound)
    if (file === undefined) throw fineTuningErrors.noSuchFile(id, param)
    if (file.purpose !== 'fine-tune') throw fineTuningErrors.wrongPurpose(id, file.purpose, param) // INF-132
  }

  async #find(caller: ProjectCaller, id: string): Promise<store.FineTuningJobRow> {
    const row = await store.findJob(this.#parts.db.queries, id)
    if (row?.project_id !== caller.projectId) throw fineTuningErrors.noSuchJob(id)
    return row
  }
}

/** In whichever of its two places. */
function askedFor({ method, hyperparameters }: CreateFineTuningJob): Hyperparameters {
  if (method != null && method.type !== 'supervised') throw fineTuningErrors.noSuchMethod(method.type)
  const ofMethod = method?.supervised?.hyperparameters
  if (ofMethod != null && hyperparameters != null) throw fineTuningErrors.hyperparametersTwice()
  return Hyperparameters.parse(ofMethod ?? hyperparameters ?? {})
}

// Batches: a file of requests in, a file of answers out, within a day.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../callers.ts'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { batchErrors } from '../../errors/errors.ts'
import { ifNotFound } from '../../errors/if-not-found.ts'
import type { Files } from '../files/service.ts'
import type { BatchJobs } from './jobs.ts'
import type { BatchError, BatchObject, CreateBatch } from './schema.ts'
import * as store from './store.ts'

const windowSeconds = 24 * 3600 // INF-216

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  files: Files
  jobs: BatchJobs
}

export class Batches {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, request: CreateBatch): Promise<BatchObject> {
    const { db, files, jobs } = this.#parts
    // One that is not there is told as all that is wrong with the input: by the batch, which then fails.
    const file = await files.get(caller, request.input_file_id).catch(ifNotFound)
    if (file !== undefined && file.purpose !== 'batch') throw batchErrors.wrongPurpose(file.id, file.purpose) // INF-163
    const row = this.#newRow(caller, request)
    await db.transaction(async (tx) => {
      await store.insertBatch(tx, row)
      await jobs.start(tx, row.id)
    })
    return present(row, row)
  }

  async get(caller: ProjectCaller, id: string): Promise<BatchObject> {
    return this.#present(await this.#find(caller, id))
  }

  async list(caller: ProjectCaller, page: PageQuery): Promise<ListEnvelope<BatchObject>> {
    const { queries } = this.#parts.db
    const found = await listPage(
      page,
      (query) => store.listBatches(queries, caller.projectId, query),
      (row) => row,
    )
    return { ...found, data: await Promise.all(found.data.map((row) => this.#present(row))) }
  }

  async cancel(caller: ProjectCaller, id: string): Promise<BatchObject> {
    const { db, clock, jobs } = this.#parts
    await this.#find(caller, id)
    const cancelled = await db.transaction(async (tx) => {
      const change = { status: 'cancelling' as const, cancelling_at: unixSeconds(clock) }
      const row = await store.changeBatch(tx, id, ['validating', 'in_progress'], change)
      if (row) await jobs.end(tx, id)
      return row
    })
    // Its end may follow at once; what was asked for is told first.
    if (cancelled) return present(cancelled, (await this.#present(cancelled)).request_counts)
    const row = await this.#find(caller, id)
    if (row.status === 'cancelling' || row.status === 'cancelled') return this.#present(row)
    throw batchErrors.cannotCancel(row.status)
  }

  async #find(caller: ProjectCaller, id: string): Promise<store.BatchRow> {
    const row = await store.findBatch(this.#parts.db.queries, id)
    if (row?.project_id !== caller.projectId) throw batchErrors.noSuchBatch(id)
    return row
  }

  async #present(row: store.BatchRow): Promise<BatchObject> {
    const isRunning = ['in_progress', 'finalizing', 'cancelling'].includes(row.status)
    if (!isRunning) return present(row, row)
    const counts = await store.countResults(this.#parts.db.queries, row.id)
    // It may have ended since the row was read, and its results gone with that.
    const again = await store.findBatch(this.#parts.db.queries, row.id)
    return again === undefined || again.status === row.status ? present(row, counts) : this.#present(again)
  }

  #newRow(caller: ProjectCaller, { input_file_id, endpoint, metadata }: CreateBatch): store.BatchRow {
    const object = newObject(this.#parts, 'batch_')
    return {
      ...object,
      project_id: caller.projectId,
      caller: JSON.stringify(caller),
      endpoint,
      input_file_id,
      status: 'validating',
      errors: null,
      output_file_id: null,
      error_file_id: null,
      metadata: metadata == null ? null : JSON.stringify(metadata),
      ...{ total: 0, completed: 0, failed: 0, open_chunks: 0 },
      expires_at: object.created_at + windowSeconds,
      ...{ in_progress_at: null, finalizing_at: null, completed_at: null, failed_at: null },
      ...{ expired_at: null, cancelling_at: null, cancelled_at: null },
    }
  }
}

function present(row: store.BatchRow, { completed, failed }: { completed: number; failed: number }): BatchObject {
  const isExpired = row.status === 'expired'
  return {
    id: row.id,
    object: 'batch',
    endpoint: row.endpoint,
    errors: row.errors === null ? null : { object: 'list', data: listedErrors(row.errors) },
    input_file_id: row.input_file_id,
    completion_window: '24h',
    status: row.status,
    output_file_id: row.output_file_id,
    error_file_id: row.error_file_id,
    created_at: row.created_at,
    in_progress_at: row.in_progress_at,
    expires_at: row.expires_at,
    finalizing_at: row.finalizing_at,
    completed_at: row.completed_at,
    failed_at: row.failed_at,
    expired_at: isExpired ? row.expired_at : null,
    cancelling_at: row.cancelling_at,
    cancelled_at: row.cancelled_at,
    request_counts: { total: row.total, completed, failed },
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  }
}

/** Beyond those that are listed, the rest is counted. */
function listedErrors(text: string): BatchError[] {
  const { count, data } = JSON.parse(text) as { count: number; data: BatchError[] }
  if (count <= data.length) return data
  const message = `${count - data.length} more errors are not listed.`
  return [...data, { code: 'more_errors', message, param: null, line: null }]
}

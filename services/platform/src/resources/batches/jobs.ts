// The work of a batch as durable jobs: look through the input, run its lines in chunks, put the results into files.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BlobStore, StoredBlob } from '@atoll/kernel/blobs/blobs'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Tx } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import type { Ids } from '@atoll/kernel/ids/ids'
import { listPosition } from '@atoll/kernel/ids/new-object'
import type { JobKind, Jobs, ReleasedJob, RunningJob } from '@atoll/kernel/jobs/jobs'
import { Purge } from '@atoll/kernel/jobs/purge'
import { z } from 'zod'
import { ifNotFound } from '../../errors/if-not-found.ts'
import { callerOf } from './caller.ts'
import { type InputParts, lookThrough, missingFile } from './look-through.ts'
import { ResultWriter } from './result-writer.ts'
import type { BatchError, BatchStatus } from './schema.ts'
import * as store from './store.ts'

const BatchJob = z.strictObject({ batchId: z.string() })
const ChunkJob = z.strictObject({ batchId: z.string(), from: z.int(), to: z.int() })
type ChunkJob = z.output<typeof ChunkJob>

const chunkLines = 64
const maxFileBytes = 64 * 1024 ** 3
const checkStateEveryMs = 500
const expireEverySeconds = 15
const longestPauseSeconds = 60
/** About a day of trying, as long as a batch may take. */
const maxAttempts = 24 * 60

export interface BatchSettings {
  /** Requests of all batches that one node runs at once. */
  requestsAtOnce: number
  maxLineBytes: number
  order: store.ResultsQuery['order']
}

interface Parts extends InputParts {
  blobs: BlobStore
  jobs: Jobs
  ids: Ids
  clock: Clock
  settings: BatchSettings
}

export class BatchJobs {
  readonly #parts: Parts
  readonly #validate: JobKind<z.output<typeof BatchJob>>
  readonly #chunk: JobKind<ChunkJob>
  readonly #finalize: JobKind<z.output<typeof BatchJob>>
  /** Of lines and results, once a batch has ended. */
  readonly #work: Purge

  constructor(parts: Parts) {
    this.#parts = parts
    const kind = {
      maxAttempts,
      leaseSeconds: 5,
      backoffSeconds: (tries: number) => Math.min(longestPauseSeconds, 2 ** Math.min(tries, 6)),
    }
    this.#validate = {
      ...kind,
      name: 'batch-validate',
      payload: BatchJob,
      concurrency: 2,
      run: (job) => this.#runValidate(job),
      released: (tx, job) => this.#released(tx, job),
    }
    this.#chunk = {
      ...kind,
      name: 'batch-chunk',
      payload: ChunkJob,
      concurrency: chunksAtOnce(parts.settings),
      run: (job) => this.#runChunk(job),
      released: (tx, job) => this.#released(tx, job),
    }
    this.#finalize = {
      ...kind,
      name: 'batch-finalize',
      payload: BatchJob,
      concurrency: 2,
      run: (job) => this.#runFinalize(job),
      released: (tx, job) => this.#releasedFinalize(tx, job),
    }
    this.#work = new Purge(parts, 'batch').add(store.deleteResults, store.deleteLines)
    for (const one of [this.#validate, this.#finalize]) parts.jobs.register(one)
    parts.jobs.register(this.#chunk)
    parts.jobs.registerPeriodic('expire-batches', expireEverySeconds, () => this.expireOverdue())
  }

  start(tx: Tx, batchId: string): Promise<unknown> {
    return this.#parts.jobs.enqueue(tx, this.#validate, { batchId })
  }

  /** For batches that end early: whatever still runs of them finds out by itself. */
  end(tx: Tx, batchId: string): Promise<unknown> {
    return this.#parts.jobs.enqueue(tx, this.#finalize, { batchId }, { uniqueKey: batchId })
  }

  /** Hands lines that are under way to other nodes, before the models they are asked of are taken away. */
  async close(): Promise<void> {
    await this.#parts.jobs.drain(this.#chunk, 0)
  }

  async expireOverdue(): Promise<void> {
    const now = unixSeconds(this.#parts.clock)
    for (const { id } of await store.overdueBatches(this.#parts.db.queries, now)) {
      await this.#parts.db.transaction(async (tx) => {
        const change = { status: 'finalizing' as const, finalizing_at: now, expired_at: now }
        if (await store.changeBatch(tx, id, ['validating', 'in_progress'], change)) await this.end(tx, id)
      })
    }
  }

  async #runValidate(job: RunningJob<{ batchId: string }>): Promise<void> {
    const { db, clock } = this.#parts
    const batch = await this.#batch(job.payload.batchId)
    if (batch?.status !== 'validating') return
    // Of an attempt that was cut off. One that only seemed to be must not do this to the attempt after it.
    const deleteSome = (limit: number) =>
      db.transaction(async (tx) => {
        await job.confirm(tx)
        return store.deleteLines(tx, batch.id, limit)
      })
    await deleteInSlices(deleteSome, job.signal)
    const { check, numbers } = await lookThrough(this.#parts, batch, job)
    await db.transaction(async (tx) => {
      const now = unixSeconds(clock)
      if (check.errorCount > 0) {
        const errors = errorsText(check.errors, check.errorCount)
        await this.#work.purgeIn(tx, batch.id, batch.project_id)
        await store.changeBatch(tx, batch.id, ['validating'], { status: 'failed', failed_at: now, errors })
      } else {
        const change = {
          status: 'in_progress' as const,
          in_progress_at: now,
          total: numbers.length,
          open_chunks: chunksOf(numbers).length,
        }
        const changed = await store.changeBatch(tx, batch.id, ['validating'], change)
        if (changed) await this.#enqueueChunks(tx, batch.id, numbers)
      }
      await job.finish(tx)
    })
  }

  async #enqueueChunks(tx: Tx, batchId: string, numbers: number[]): Promise<void> {
    for (const { from, to } of chunksOf(numbers)) await this.#parts.jobs.enqueue(tx, this.#chunk, { batchId, from, to })
  }

  async #runChunk(job: RunningJob<ChunkJob>): Promise<void> {
    const { db, clock } = this.#parts
    const { batchId, from, to } = job.payload
    const batch = await this.#batch(batchId)
    if (batch?.status !== 'in_progress') return
    const isInputThere = await this.#runLines(batch, from, to, job.signal)
    await db.transaction(async (tx) => {
      if (!isInputThere) await this.#fail(tx, batchId, missingFile(batch))
      const isLast = (await store.endChunk(tx, batchId)) === 0
      const change = { status: 'finalizing' as const, finalizing_at: unixSeconds(clock) }
      if (isLast && (await store.changeBatch(tx, batchId, ['in_progress'], change))) await this.end(tx, batchId)
      await job.finish(tx)
    })
  }

  /** What was done is kept; the rest will not be run. */
  async #fail(tx: Tx, batchId: string, error: BatchError): Promise<void> {
    const errors = errorsText([error])
    const change = { status: 'finalizing' as const, finalizing_at: unixSeconds(this.#parts.clock), errors }
    if (await store.changeBatch(tx, batchId, ['validating', 'in_progress'], change)) await this.end(tx, batchId)
  }

  async #released(tx: Tx, { payload, end }: ReleasedJob<{ batchId: string }>): Promise<void> {
    if (end === 'dead') await this.#fail(tx, payload.batchId, gaveUp)
  }

  async #releasedFinalize(tx: Tx, { payload: { batchId }, end }: ReleasedJob<{ batchId: string }>): Promise<void> {
    if (end !== 'dead') return
    const change = {
      status: 'failed' as const,
      failed_at: unixSeconds(this.#parts.clock),
      errors: errorsText([gaveUp]),
    }
    await store.changeBatch(tx, batchId, ['finalizing', 'cancelling'], change)
    await this.#work.purgeIn(tx, batchId)
  }

  /** False: the input was deleted meanwhile. */
  async #runLines(batch: store.BatchRow, from: number, to: number, signal: AbortSignal): Promise<boolean> {
    const { db, settings } = this.#parts
    const known = await store.recordedLines(db.queries, batch.id, from, to)
    const lines = await store.linesBetween(db.queries, batch.id, from, to)
    const open = lines.filter(({ line }) => !known.has(line))
    const [first] = open
    const last = open.at(-1)
    if (first === undefined || last === undefined) return true
    const found = await this.#parts.files.content(callerOf(batch), batch.input_file_id).catch(ifNotFound)
    if (found === undefined) return false
    const start = first.start
    const input = await buffer(found.read({ start, end: last.start + last.bytes - 1 }))
    const results = new ResultWriter(db, batch.id)
    const stop = this.#stopWhenEnded(batch.id, signal)
    const worker = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined && !stop.signal.aborted; next = open.shift()) {
        const text = input.toString('utf8', next.start - start, next.start - start + next.bytes)
        await results.add(await this.#runLine(batch, next, text, stop.signal))
      }
    }
    try {
      const workers = Math.floor(settings.requestsAtOnce / chunksAtOnce(settings))
      await Promise.all(Array.from({ length: workers }, worker))
    } catch (error) {
      if (!stop.signal.aborted) throw error
    } finally {
      stop.end()
    }
    signal.throwIfAborted() // lines were left out that somebody else has to run
    return true
  }

  async #runLine(
    batch: store.BatchRow,
    line: store.BatchLineRow,
    input: string,
    signal: AbortSignal,
  ): Promise<store.BatchResultRow> {
    const { ids, runner } = this.#parts
    const { body } = JSON.parse(input) as { body: unknown }
    const answer = await runner.run(callerOf(batch), batch.endpoint, body, signal)
    const response = `{"status_code":${answer.status_code},"request_id":${JSON.stringify(answer.request_id)},"body":${answer.body}}`
    const id = ids.next('batch_req_')
    const text = `{"id":"${id}","custom_id":${JSON.stringify(line.custom_id)},"response":${response},"error":null}`
    const outcome = answer.status_code < 400 ? 'completed' : 'failed'
    return { batch_id: batch.id, line: line.line, outcome, position: listPosition(id), text }
  }

  /** Aborts when the batch is cancelled or has expired. */
  #stopWhenEnded(id: string, signal: AbortSignal): { signal: AbortSignal; end(): void } {
    const ended = new AbortController()
    const timer = setInterval(() => {
      this.#batch(id).then(
        (batch) => batch?.status !== 'in_progress' && ended.abort(),
        () => undefined,
      )
    }, checkStateEveryMs)
    return { signal: AbortSignal.any([signal, ended.signal]), end: () => clearInterval(timer) }
  }

  async #runFinalize(job: RunningJob<{ batchId: string }>): Promise<void> {
    const { db, files, clock } = this.#parts
    const batch = await this.#batch(job.payload.batchId)
    if (batch?.status !== 'finalizing' && batch?.status !== 'cancelling') return
    const caller = callerOf(batch)
    if (batch.expired_at !== null) await this.#recordExpired(batch)
    const { completed, failed } = await store.countResults(db.queries, batch.id)
    const output = completed > 0 ? await this.#write(batch, 'completed', job.signal) : undefined
    const errors = failed > 0 ? await this.#write(batch, 'failed', job.signal) : undefined
    await db.transaction(async (tx) => {
      const keep = async (blob: StoredBlob | undefined, name: string): Promise<string | null> =>
        blob === undefined ? null : (await files.keepOutput(tx, caller, `${batch.id}_${name}.jsonl`, blob)).id
      const output_file_id = await keep(output, 'output')
      const error_file_id = await keep(errors, 'error')
      const change = { ...ending(batch, unixSeconds(clock)), output_file_id, error_file_id, completed, failed }
      await store.changeBatch(tx, batch.id, ['finalizing', 'cancelling'], change)
      await this.#work.purgeIn(tx, batch.id, batch.project_id)
      await job.finish(tx)
    })
  }

  /** What was not run in time is told line by line. */
  async #recordExpired({ id, total }: store.BatchRow): Promise<void> {
    const { db, ids } = this.#parts
    if (total === 0) return
    const message = 'This request could not be executed before the completion window expired.'
    const lines = await store.openLines(db.queries, id)
    for (let at = 0; at < lines.length; at += store.rowsAtOnce) {
      const rows = lines.slice(at, at + store.rowsAtOnce).map(({ line, custom_id }) => {
        const requestId = ids.next('batch_req_')
        const error = { code: 'batch_expired', message }
        const text = JSON.stringify({ id: requestId, custom_id, response: null, error })
        return { batch_id: id, line, outcome: 'failed' as const, position: listPosition(requestId), text }
      })
      await store.insertResults(db.queries, rows)
    }
  }

  #write({ id }: store.BatchRow, outcome: store.Outcome, signal: AbortSignal): Promise<StoredBlob> {
    const { db, blobs, settings } = this.#parts
    const rows = store.readResults(db.queries, { id, outcome, order: settings.order })
    const lines = async function* (): AsyncGenerator<Buffer> {
      for await (const { text } of rows) yield Buffer.from(`${text}\n`)
    }
    return blobs.write(Readable.from(lines()), { maxBytes: maxFileBytes, signal })
  }

  #batch(id: string): Promise<store.BatchRow | undefined> {
    return store.findBatch(this.#parts.db.queries, id)
  }
}

const chunksAtOnce = ({ requestsAtOnce }: BatchSettings): number => Math.ceil(requestsAtOnce / chunkLines)

/** The first and the last line of each. */
function chunksOf(numbers: number[]): { from: number; to: number }[] {
  return Array.from({ length: Math.ceil(numbers.length / chunkLines) }, (_, index) => {
    const chunk = numbers.slice(index * chunkLines, (index + 1) * chunkLines)
    return { from: chunk[0] ?? 0, to: chunk.at(-1) ?? 0 }
  })
}

function ending(batch: store.BatchRow, now: number): Partial<store.BatchRow> & { status: BatchStatus } {
  if (batch.status === 'cancelling') return { status: 'cancelled', cancelled_at: now }
  if (batch.errors !== null) return { status: 'failed', failed_at: now }
  if (batch.expired_at !== null) return { status: 'expired' }
  return { status: 'completed', completed_at: now }
}

const gaveUp: BatchError = {
  code: 'server_error',
  message: 'The server could not work on this batch, however often it tried. The log of this server tells more.',
  param: null,
  line: null,
}

const errorsText = (data: readonly BatchError[], count = data.length): string => JSON.stringify({ count, data })

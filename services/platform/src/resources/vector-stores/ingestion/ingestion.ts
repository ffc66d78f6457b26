// Files become chunks with vectors: one durable job for each. A file grows in order and in transactions, so that
// whatever ends the process, the next attempt goes on where the last one was.
import { NoText } from '@atoll/documents/documents'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { JobKind, Jobs, RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Vectors } from '@atoll/kernel/vectors/vectors'
import { z } from 'zod'
import type { ProjectCaller } from '../../../callers.ts'
import type { EmbeddingChoice } from '../embedder.ts'
import { type Attachment, type Attachments, type BegunFile, type FilesEvent, filesTopic } from '../files/attachments.ts'
import type { FileProblem } from '../files/schema.ts'
import { Conflict, finalProblem, lastProblem } from './failure.ts'
import { type FileForm, type FileReader, growFile } from './grow-file.ts'
import { Pace } from './pace.ts'
import { StoringTurns } from './storing-turns.ts'

const IngestJob = z.strictObject({
  attachmentId: z.string(),
  model: z.string(),
  dimensions: z.int().nullable(),
})
type IngestJob = z.output<typeof IngestJob>

/** In a row, without any chunk stored in between. */
const maxFailures = 6
/** A file with which the process ends so often is to blame. */
const maxAttempts = 100
/** Large files, and those that come with many others, have places of their own: no note waits for a library. */
const maxNoteBytes = 1024 * 1024
const maxNotes = 20
/** A file that waits for a reader or for the model costs little: there are places for many projects, a few for each. */
const notesAtOnce = { concurrency: 64, tenantConcurrency: 4 }
const libraryFilesAtOnce = { concurrency: 24, tenantConcurrency: 3 }
/** Text recognition takes minutes, and all of the machine it is given: one at a time, of each project in turn. */
const scannedFilesAtOnce = { concurrency: 1 }
const leaseSeconds = 5
const longestPauseSeconds = 60

const endsTheServer: FileProblem = {
  code: 'server_error',
  message: 'The server was stopped again and again while it processed this file. Please add it again later.',
}

interface Parts {
  db: Database
  jobs: Jobs
  events: Events
  log: Log
  vectors: Vectors
  attachments: Attachments
  reader: FileReader
}

interface RunningFile {
  storeId?: string
  attachmentId: string
  form: FileForm
  /** Nobody wants it any more. */
  stop: AbortController
}

export class Ingestion {
  readonly #parts: Parts
  readonly #notes: JobKind<IngestJob>
  readonly #library: JobKind<IngestJob>
  readonly #scanned: JobKind<IngestJob>
  readonly #running = new Set<RunningFile>()
  readonly #closing = new AbortController()
  readonly #storing = new StoringTurns()
  /** By model. */
  readonly #paces = new Map<string, Pace>()

  constructor(parts: Parts) {
    this.#parts = parts
    const kind = {
      payload: IngestJob,
      // Counted here instead: a dead letter would leave its file in progress for ever.
      maxAttempts: 1_000_000,
      leaseSeconds,
      backoffSeconds: (attempt: number) => Math.min(longestPauseSeconds, 2 ** Math.min(attempt - 1, 6)),
      run: (job: RunningJob<IngestJob>) => this.#run(job, { isOneOfMany: false, isScanned: false }),
    }
    this.#notes = { ...kind, name: 'vector-store-file', ...notesAtOnce }
    const readBehind = (job: RunningJob<IngestJob>) => this.#run(job, { isOneOfMany: true, isScanned: false })
    this.#library = { ...kind, name: 'vector-store-library-file', ...libraryFilesAtOnce, run: readBehind }
    const recognize = (job: RunningJob<IngestJob>) => this.#run(job, { isOneOfMany: false, isScanned: true })
    this.#scanned = { ...kind, name: 'vector-store-scanned-file', ...scannedFilesAtOnce, run: recognize }
    for (const each of [this.#notes, this.#library, this.#scanned]) parts.jobs.register(each)
    parts.events.subscribe(filesTopic, (payload) => {
      const { storeId, isStop } = payload as FilesEvent
      if (isStop) void this.#look(storeId)
    })
    parts.events.onGap(() => void this.#look())
  }

  /** `tenant`: whose files they are. */
  async startIn(
    tx: Tx,
    tenant: string,
    files: readonly BegunFile[],
    { model, dimensions }: EmbeddingChoice,
  ): Promise<void> {
    if (files.length > 0) this.#parts.reader.documents.warm()
    const isNote = ({ bytes }: BegunFile): boolean => bytes <= maxNoteBytes && files.length <= maxNotes
    const payloadOf = ({ id }: BegunFile): IngestJob => ({ attachmentId: id, model, dimensions })
    const { jobs } = this.#parts
    const [first, ...others] = files
    if (first !== undefined && others.length === 0) {
      // One alone can begin with this commit.
      await jobs.enqueue(tx, isNote(first) ? this.#notes : this.#library, payloadOf(first), { tenant })
      return
    }
    const work = (some: readonly BegunFile[]) => some.map((file) => ({ tenant, payload: payloadOf(file) }))
    await jobs.enqueueAll(tx, this.#notes, work(files.filter(isNote)))
    await jobs.enqueueAll(tx, this.#library, work(files.filter((file) => !isNote(file))))
  }

  /** The next start goes on with what is under way; before models and readers close. */
  close(): void {
    this.#closing.abort(new Error('The server is shutting down.'))
  }

  async #run(job: RunningJob<IngestJob>, form: FileForm): Promise<void> {
    const ending = AbortSignal.any([job.signal, this.#closing.signal])
    ending.throwIfAborted()
    // Known before it is looked up: whatever happens to it from then on is heard.
    const running: RunningFile = { attachmentId: job.payload.attachmentId, stop: new AbortController(), form }
    this.#running.add(running)
    try {
      await this.#grow(job, running, ending)
    } finally {
      this.#running.delete(running)
    }
  }

  async #grow(job: RunningJob<IngestJob>, running: RunningFile, ending: AbortSignal): Promise<void> {
    const row = await this.#parts.attachments.get(running.attachmentId)
    if (row?.status !== 'in_progress') return
    running.storeId = row.store_id
    if (job.attempt > maxAttempts) return this.#fail(job, row, endsTheServer)
    const { signal } = running.stop
    try {
      const pace = this.#paceOf(job.payload.model)
      const parts = { ...this.#parts, storing: this.#storing, pace, form: running.form }
      await growFile(parts, job, row, AbortSignal.any([ending, signal]))
    } catch (error) {
      ending.throwIfAborted()
      // Given up while it was worked on: nothing is left to do here.
      if (!signal.aborted) await this.#handle(job, row, error)
    }
  }

  #paceOf(model: string): Pace {
    const pace = this.#paces.get(model) ?? new Pace()
    this.#paces.set(model, pace)
    return pace
  }

  async #handle(job: RunningJob<IngestJob>, row: Attachment, error: unknown): Promise<void> {
    const { attachments, log, reader } = this.#parts
    if (error instanceof NoText && error.mayBeScanned && reader.documents.recognizes) return this.#recognize(job, row)
    if (error instanceof Conflict && (await attachments.get(row.id))?.status !== 'in_progress') return
    const problem = finalProblem(error)
    if (problem !== undefined) return this.#fail(job, row, problem)
    if ((await attachments.countFailure(row.id)) < maxFailures) throw error
    log.error({ err: error, file: row.file_id, store: row.store_id }, 'A file of a vector store was given up.')
    await this.#fail(job, row, lastProblem(error))
  }

  /** It waits with others of its kind, and keeps no place from those that are read in a moment. */
  async #recognize(job: RunningJob<IngestJob>, row: Attachment): Promise<void> {
    const { db, jobs } = this.#parts
    const { projectId: tenant } = JSON.parse(row.caller) as ProjectCaller
    await db.transaction(async (tx) => {
      await jobs.enqueueAll(tx, this.#scanned, [{ tenant, payload: job.payload }])
      await job.finish(tx)
    })
  }

  async #fail(job: RunningJob<IngestJob>, row: Attachment, problem: FileProblem): Promise<void> {
    const { db, attachments } = this.#parts
    await db.transaction(async (tx) => {
      await attachments.failIn(tx, row, problem)
      await job.finish(tx)
    })
  }

  /** Stops what was cancelled or removed. */
  async #look(storeId?: string): Promise<void> {
    const { attachments, log } = this.#parts
    for (const running of this.#running) {
      if ((storeId ?? running.storeId) !== (running.storeId ?? storeId)) continue
      try {
        const row = await attachments.get(running.attachmentId)
        if (row?.status !== 'in_progress') running.stop.abort(new Error('The file was given up.'))
      } catch (error) {
        log.warn({ err: error }, 'Could not look whether a file is still wanted; storing its chunks will tell.')
      }
    }
  }
}

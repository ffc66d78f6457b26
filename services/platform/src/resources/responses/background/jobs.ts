// Responses in the background as durable jobs: a server that is killed leaves the job, and the next one goes on.
import type { Tx } from '@atoll/kernel/db/database'
import { type JobKind, type Jobs, LeaseLost, type RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Log } from '@atoll/kernel/telemetry/log'
import { z } from 'zod'
import type { ProjectCaller } from '../../../callers.ts'
import { responseFailures } from '../../../errors/responses.ts'
import { type Failure, LoopFailure, toFailure } from '../../../tool-loop/failure.ts'
import { workLoop } from '../../../tool-loop/loop.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import { type Prepared, type PrepareParts, prepareAgain } from '../prepare.ts'
import { findAny, openStatuses, type ResponseRow } from '../response-rows.ts'
import type { ResponseSettings } from '../settings.ts'
import { type Progress, presentResponse, type ResponseHead } from '../state.ts'
import type { ResponseHub } from '../stream/hub.ts'
import { closeOffers } from '../tools/declared-tools.ts'
import { beginWork } from '../work/begin-work.ts'
import { ResponseWork } from '../work/response-work.ts'
import { mayTry } from './attempts.ts'
import { BackgroundJournal, ResponseChanged } from './journal.ts'
import { type Told, toldSoFar } from './told.ts'

const ResponseJob = z.strictObject({ responseId: z.string() })
type ResponseJob = z.output<typeof ResponseJob>

/** Responses that one node works on at once: most of the time they wait for a model. */
const responsesAtOnce = 128
const leaseSeconds = 5

interface Parts extends PrepareParts {
  hub: ResponseHub
  log: Log
}

export class ResponseJobs {
  readonly #parts: Parts
  readonly #jobs: Jobs
  readonly #kind: JobKind<ResponseJob>
  /** What this process works on. */
  readonly #working = new Map<string, AbortController>()
  readonly #attempts = new Set<Promise<void>>()
  #isClosed = false

  constructor(parts: Parts, jobs: Jobs) {
    this.#parts = parts
    this.#jobs = jobs
    this.#kind = {
      name: 'response',
      payload: ResponseJob,
      // How often it is tried again is for the response to say: it must not be left behind without an end.
      maxAttempts: 1_000_000,
      leaseSeconds,
      concurrency: responsesAtOnce,
      backoffSeconds: (attempt) => Math.min(30, 2 ** (attempt - 1)),
      run: (job) => this.#run(job),
    }
    jobs.register(this.#kind)
    parts.hub.onChange((id, status) => {
      if (!isOpen(status)) this.#working.get(id)?.abort(new Error(`The response is ${status}.`))
    })
  }

  start(tx: Tx, responseId: string, { projectId }: ProjectCaller): Promise<unknown> {
    return this.#jobs.enqueue(tx, this.#kind, { responseId }, { tenant: projectId })
  }

  /** Before the models go: what is under way is left to the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#working.values()) stop.abort(new Error('The server is shutting down.'))
    await Promise.allSettled(this.#attempts)
  }

  async #run(job: RunningJob<ResponseJob>): Promise<void> {
    if (this.#isClosed) throw new Error('The server is shutting down.')
    const attempt = this.#work(job)
    this.#attempts.add(attempt)
    await attempt.finally(() => this.#attempts.delete(attempt))
  }

  async #work(job: RunningJob<ResponseJob>): Promise<void> {
    const { db, hub } = this.#parts
    const { responseId: id } = job.payload
    const row = await findAny(db.queries, id)
    if (row === undefined || !isOpen(row.status)) return
    const stop = new AbortController()
    this.#working.set(id, stop)
    hub.beginWork(id)
    try {
      await this.#attempt(job, row, stop)
    } finally {
      // An attempt that has lost its hold on the response ends after the next one began.
      if (this.#working.get(id) === stop) this.#working.delete(id)
      hub.endWork(id)
    }
  }

  async #attempt(job: RunningJob<ResponseJob>, row: ResponseRow, stop: AbortController): Promise<void> {
    const { db, clock, items, hub } = this.#parts
    const head = headOf(row)
    const progress = JSON.parse(row.progress) as Progress
    const output = await items.output(row.id)
    const told = await toldSoFar(db.queries, row.id)
    const onLost = (error: unknown): void => stop.abort(error)
    const begun = { head, output, sequence: told.sequence }
    const journal = new BackgroundJournal({ db, clock, items, hub, job, onLost }, begun)
    const signal = AbortSignal.any([job.signal, stop.signal])
    let work: ResponseWork | undefined
    try {
      const broken = job.attempt - 1
      if (!mayTry(job.attempt, progress)) throw new LoopFailure('server_error', responseFailures.interrupted(broken))
      const prepared = await prepareAgain(this.#parts, JSON.parse(row.caller ?? 'null') as ProjectCaller, head, output)
      work = this.#workOf(prepared, journal, { progress, output, told })
      if (!told.hasBegun) journal.tell({ type: 'response.in_progress', response: begunResponse(head, progress) })
      for (const { output_index, item } of told.open) {
        if (!output.some((kept) => kept.item.id === item.id)) journal.tellCutOff(output_index, item)
      }
      await this.#loop(prepared, work, signal)
    } catch (error) {
      await journal.settle()
      job.signal.throwIfAborted()
      if (error instanceof LeaseLost || this.#isClosed) throw error
      const failed = (failure: Failure): Promise<void> =>
        work?.endEarly('failed', { error: failure }) ??
        journal.end('failed', { progress: { ...progress, error: failure } })
      await this.#endAfter(error, job, failed)
    }
  }

  #workOf(
    { caller, head, thread, declared }: Prepared,
    journal: BackgroundJournal,
    { progress, output, told }: { progress: Progress; output: KeptItem[]; told: Told },
  ): ResponseWork {
    const { contextLengths } = this.#parts
    const { settings } = head
    const contextLength = (): number | undefined => contextLengths.get(settings.model)
    const input = { responseId: head.id, caller, settings, thread, declared, contextLength }
    return new ResponseWork(this.#parts, input, journal, { progress, output }, told)
  }

  async #loop(prepared: Prepared, work: ResponseWork, signal: AbortSignal): Promise<void> {
    const { inference, contextLengths } = this.#parts
    const { caller, head, declared } = prepared
    const { model } = head.settings
    try {
      const tools = await beginWork(this.#parts, work, prepared, signal)
      await workLoop({ inference, contextLengths, caller, model, tools, record: work, signal })
    } finally {
      await closeOffers(declared)
    }
  }

  async #endAfter(
    error: unknown,
    job: RunningJob<ResponseJob>,
    fail: (failure: Failure) => Promise<void>,
  ): Promise<void> {
    const { db, log } = this.#parts
    const row = await findAny(db.queries, job.payload.responseId)
    if (row === undefined || !isOpen(row.status) || error instanceof ResponseChanged) return
    const told = toFailure(error)
    if (told === undefined && mayTry(job.attempt + 1, JSON.parse(row.progress) as Progress)) throw error
    log.warn({ err: error, response: row.id }, 'A response failed.')
    await fail(told ?? { code: 'server_error', message: responseFailures.internal })
  }
}

const isOpen = (status: string): boolean => (openStatuses as readonly string[]).includes(status)

const headOf = (row: ResponseRow): ResponseHead => ({ ...row, settings: JSON.parse(row.settings) as ResponseSettings })

const begunResponse = (head: ResponseHead, progress: Progress) =>
  presentResponse(head, { status: 'in_progress', completed_at: null, progress, output: [] })

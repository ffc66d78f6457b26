// Runs as durable jobs: one job for each stretch of work, from when the run is queued until it ends or waits for the
// caller. A server that is killed leaves the job, and the next one goes on.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Tx } from '@atoll/kernel/db/database'
import { type JobKind, type Jobs, LeaseLost, type RunningJob } from '@atoll/kernel/jobs/jobs'
import { z } from 'zod'
import { runFailures } from '../../../../errors/runs.ts'
import { LoopFailure, toFailure } from '../../../../tool-loop/failure.ts'
import { findRun, overdueRuns, type RunRow } from '../run-rows.ts'
import type { RunError } from '../schema.ts'
import { stepsOf } from '../steps/step-rows.ts'
import { RunAttempt } from './attempt.ts'
import { endRunIn } from './endings.ts'
import { Ledger } from './ledger.ts'
import type { WorkParts } from './work-parts.ts'

const RunJob = z.strictObject({ runId: z.string() })
type RunJob = z.output<typeof RunJob>

/** Runs that one node works on at once: most of the time they wait for a model. */
const runsAtOnce = 128
const maxAttempts = 5
const leaseSeconds = 5
const expireEverySeconds = 15
const overdueAtOnce = 100
const stopping = ['cancelling', 'cancelled', 'expired', 'failed']

export class RunJobs {
  readonly #parts: WorkParts
  readonly #jobs: Jobs
  readonly #kind: JobKind<RunJob>
  /** What this process works on. */
  readonly #working = new Map<string, AbortController>()
  readonly #attempts = new Set<Promise<void>>()
  #isClosed = false

  constructor(parts: WorkParts, jobs: Jobs) {
    this.#parts = parts
    this.#jobs = jobs
    this.#kind = {
      name: 'run',
      payload: RunJob,
      // How often a run is tried again is for the run to say: it must not be left behind without an end.
      maxAttempts: 1_000_000,
      leaseSeconds,
      concurrency: runsAtOnce,
      backoffSeconds: (attempt) => Math.min(30, 2 ** (attempt - 1)),
      run: (job) => this.#run(job),
    }
    jobs.register(this.#kind)
    jobs.registerPeriodic('expire-runs', expireEverySeconds, () => this.expireOverdue())
    parts.hub.onChange((runId, status) => {
      if (stopping.includes(status)) this.#working.get(runId)?.abort(new Error(`The run is ${status}.`))
    })
  }

  start(tx: Tx, runId: string): Promise<unknown> {
    return this.#jobs.enqueue(tx, this.#kind, { runId })
  }

  async expireOverdue(): Promise<void> {
    const { db, clock } = this.#parts
    for (;;) {
      const overdue = await overdueRuns(db.queries, unixSeconds(clock), overdueAtOnce)
      for (const run of overdue) await this.expire(run)
      if (overdue.length < overdueAtOnce) return
    }
  }

  /** Whoever works on it finds out by itself. */
  async expire({ id, status }: RunRow): Promise<void> {
    const ending = { status: status === 'cancelling' ? 'cancelled' : 'expired' } as const
    await this.#parts.db.transaction((tx) => endRunIn(tx, this.#parts, id, ending))
  }

  /** Before the models go: what is under way is left to the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#working.values()) stop.abort(new Error('The server is shutting down.'))
    await Promise.allSettled(this.#attempts)
  }

  async #run(job: RunningJob<RunJob>): Promise<void> {
    if (this.#isClosed) throw new Error('The server is shutting down.')
    const attempt = this.#work(job)
    this.#attempts.add(attempt)
    await attempt.finally(() => this.#attempts.delete(attempt))
  }

  async #work(job: RunningJob<RunJob>): Promise<void> {
    const { db, hub, clock } = this.#parts
    const { runId } = job.payload
    const run = await findRun(db.queries, runId)
    if (run === undefined || !mayWork(run)) return
    const stop = new AbortController()
    const inTime = run.expires_at * 1000 - clock.now()
    const timer = setTimeout(() => stop.abort(new Error('The run has expired.')), Math.max(0, inTime))
    this.#working.set(runId, stop)
    hub.beginWork(runId)
    try {
      await this.#attempt(job, run, stop)
    } finally {
      clearTimeout(timer)
      // An attempt that has lost its hold on the run ends after the next one began.
      if (this.#working.get(runId) === stop) this.#working.delete(runId)
      hub.endWork(runId)
    }
  }

  async #attempt(job: RunningJob<RunJob>, run: RunRow, stop: AbortController): Promise<void> {
    const steps = await stepsOf(this.#parts.db.queries, run.id)
    const ledger = new Ledger(this.#parts, job, { run, steps }, () => stop.abort(new Error('The run was changed.')))
    const attempt = new RunAttempt(this.#parts, job, ledger, AbortSignal.any([job.signal, stop.signal]))
    if (run.status === 'cancelling') return attempt.end({ status: 'cancelled' })
    try {
      if (job.attempt > maxAttempts) throw new LoopFailure('server_error', runFailures.interrupted(maxAttempts))
      await attempt.work()
    } catch (error) {
      await ledger.settle()
      job.signal.throwIfAborted()
      if (error instanceof LeaseLost || this.#isClosed) throw error
      await this.#endAfter(error, job, attempt)
    }
  }

  /** Why has the work stopped? The run itself knows best. */
  async #endAfter(error: unknown, job: RunningJob<RunJob>, attempt: RunAttempt): Promise<void> {
    const { db, clock, log } = this.#parts
    const run = await findRun(db.queries, job.payload.runId)
    if (run === undefined || !mayWork(run)) return
    if (run.status === 'cancelling') return attempt.end({ status: 'cancelled' })
    if (run.expires_at <= unixSeconds(clock)) return attempt.end({ status: 'expired' })
    const told = toFailure(error)
    if (told === undefined && job.attempt < maxAttempts) throw error
    log.warn({ err: error, run: run.id }, 'A run failed.')
    const internal: RunError = { code: 'server_error', message: runFailures.internal }
    await attempt.end({ status: 'failed', error: told ?? internal })
  }
}

const mayWork = ({ status }: RunRow): boolean =>
  status === 'queued' || status === 'in_progress' || status === 'cancelling'

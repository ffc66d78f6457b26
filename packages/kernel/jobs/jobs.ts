// The jobs port: work that survives kill -9. A job is a row; it is enqueued in the caller's transaction.
import type { ZodType } from 'zod'
import type { Tx } from '../db/database.ts'

export interface JobKind<Payload> {
  name: string
  payload: ZodType<Payload>
  /** After this many failed attempts the job is a dead letter. */
  maxAttempts: number
  /** A node that neither finishes nor renews within this time has lost the job to others. */
  leaseSeconds: number
  /** How many of this kind run at once on one node. */
  concurrency: number
  /** Pause before the next attempt. */
  backoffSeconds(attempt: number): number
  /** Must be safe to run again: a crash after its last effect and before its end repeats it, unless `finish` made them one. */
  run(job: RunningJob<Payload>): Promise<void>
}

export interface RunningJob<Payload> {
  id: string
  payload: Payload
  /** 1 on the first run. */
  attempt: number
  /**
   * Aborted when the lease is lost or the node shuts down; the job then counts as unfinished, however `run` ends.
   * The lease is renewed by itself while `run` is pending.
   */
  signal: AbortSignal
  /**
   * Ends the job in `tx`: its last effects and its end are one commit, so they happen exactly once.
   * Throws LeaseLost, and so undoes `tx`, when `signal` is aborted or the job belongs to another node by now.
   */
  finish(tx: Tx): Promise<void>
  /**
   * For effects before the end that a later attempt must not suffer from: what else is done in `tx` is done only while
   * the job belongs to this node. Throws LeaseLost, and so undoes `tx`, when it does not any more.
   */
  confirm(tx: Tx): Promise<void>
}

export class LeaseLost extends Error {
  constructor(id: string) {
    super(`The lease on job ${id} was lost; another node may be running it.`)
    this.name = 'LeaseLost'
  }
}

export interface EnqueueOptions {
  /** Not before this time, in milliseconds since the epoch. */
  runAt?: number
  /** While a job of this kind with the same key waits or runs, no second one is added. */
  uniqueKey?: string
}

export interface JobCounts {
  waiting: number
  running: number
  dead: number
}

export interface Jobs {
  register<Payload>(kind: JobKind<Payload>): void
  /** A kind that runs every `seconds`, once in the whole cluster however many nodes there are. */
  registerPeriodic(name: string, seconds: number, run: (signal: AbortSignal) => Promise<void>): void
  /** Returns the job's id, or undefined when `uniqueKey` found one there already. */
  enqueue<Payload>(
    tx: Tx,
    kind: JobKind<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<string | undefined>
  counts(): Promise<JobCounts>
  start(): Promise<void>
  /** Takes no new work, gives running jobs `graceMs`, then aborts their signals and hands their leases back. */
  stop(graceMs: number): Promise<void>
}

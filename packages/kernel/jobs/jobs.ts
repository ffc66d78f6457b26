// The jobs port: the one durable queue of the house. Work is a row that survives kill -9; it is enqueued in the caller's
// transaction, claimed by one statement, and held by a lease that is renewed while it runs.
//
// - A job waits (`ready`), waits for a time (a delay or a pause after a failure), runs on a lease, or is a dead letter.
//   Only what is ready stands in the index that claims look at: whatever else waits, in whatever number, costs nothing.
// - `lane`: jobs of one lane run one after the other, in the order they came. Only the first of a lane is ready or waits
//   for its time; its end makes the next one ready, in the same commit.
// - `tenant`: claims take turns between tenants, whoever has the fewest running first, so a tenant with ten thousand
//   waiting jobs delays another's single one by no more than the work in hand.
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
  /** How many of them may belong to one tenant; all of them, unless told. */
  tenantConcurrency?: number
  /** Pause before the next attempt. */
  backoffSeconds(attempt: number): number
  /** Must be safe to run again: a crash after its last effect and before its end repeats it, unless `finish` made them one. */
  run(job: RunningJob<Payload>): Promise<void>
  /** In the commit in which an attempt ends without success: what is to be noted with it. */
  released?(tx: Tx, job: ReleasedJob<Payload>): Promise<void>
  /** Whose jobs are not to be begun now: asked before every claim. `wake` tells when that has changed. */
  held?(): Promise<HeldTenants>
}

export type HeldTenants = 'all' | readonly string[]

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

export interface ReleasedJob<Payload> extends Pick<RunningJob<Payload>, 'id' | 'payload'> {
  /** Those that count so far. */
  attempts: number
  /** `handed back`: broken off by a shutdown; the attempt does not count. */
  end: 'retry' | 'dead' | 'handed back'
  /** Why it failed. */
  error: string
  /** Of the next attempt, where there is one. */
  retryAt: number | undefined
}

export class LeaseLost extends Error {
  constructor(id: string) {
    super(`The lease on job ${id} was lost; another node may be running it.`)
    this.name = 'LeaseLost'
  }
}

interface FailureOptions {
  /** Instead of the kind's own pause. */
  retryAfterMs?: number | undefined
  /** False: the attempt does not count against `maxAttempts`. */
  isCounted?: boolean
  /** No other attempt will succeed. */
  isFinal?: boolean
  cause?: unknown
}

/** Thrown by `run` to say more about a failure than that it was one. */
export class JobFailed extends Error {
  readonly retryAfterMs: number | undefined
  readonly isCounted: boolean
  readonly isFinal: boolean

  constructor(message: string, { retryAfterMs, isCounted = true, isFinal = false, cause }: FailureOptions = {}) {
    super(message, { cause })
    this.name = 'JobFailed'
    this.retryAfterMs = retryAfterMs
    this.isCounted = isCounted
    this.isFinal = isFinal
  }
}

/** Whose it is, for fair turns, and what it must not overtake. */
export interface Place {
  tenant?: string | undefined
  lane?: string | undefined
}

export interface EnqueueOptions extends Place {
  /** Not before this time, in milliseconds since the epoch. */
  runAt?: number
  /** While a job of this kind with the same key waits or runs, no second one is added. Not together with `lane`. */
  uniqueKey?: string
  /** With `uniqueKey`: the one that waits comes no later than this one would; the one that runs, runs once more. */
  again?: boolean
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
  /** Many at once, in their order, for two statements. */
  enqueueAll<Payload>(tx: Tx, kind: JobKind<Payload>, work: readonly (Place & { payload: Payload })[]): Promise<void>
  /** Takes a job away that waits; one that runs has lost its lease. False: it has ended already. */
  cancel(tx: Tx, id: string): Promise<boolean>
  /** Once `tx` is committed, every node looks for jobs of this kind: something is not held any more. */
  wake(tx: Tx, kind: Pick<JobKind<never>, 'name'>): Promise<void>
  counts(): Promise<JobCounts>
  /** Stops one kind, as `stop` does all: what it needs can be taken away afterwards. */
  drain(kind: Pick<JobKind<never>, 'name'>, graceMs: number): Promise<void>
  start(): Promise<void>
  /** Takes no new work, gives running jobs `graceMs`, then aborts their signals and hands their leases back. */
  stop(graceMs: number): Promise<void>
}

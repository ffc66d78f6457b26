// Actions: work that goes on after its request, told step by step. Rows, so that it is resumed after a crash.
import { randomUUID } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import { isUniqueViolation } from '@atoll/kernel/db/unique-violation'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import * as errors from '../../errors.ts'
import type { ActionStatus, PendingOp } from './schema.ts'
import * as store from './store.ts'

export interface Action {
  uid: string
  name: string
  objectName: string
  nodeUid: string
  status: ActionStatus
  /** 0 to 100. */
  progress: number
  state: string | undefined
  heartbeat: number
  description: string
  error: string | undefined
  pendingOps: Record<string, PendingOp>
  /** Whatever the one who does it needs to go on. */
  details: Record<string, unknown>
  createdAt: number
}

interface NewAction {
  /** State machines begin with SM. */
  name: string
  objectName: string
  nodeUid?: string
  description: string
  details?: Record<string, unknown>
}

export type ActionChange = Partial<Pick<Action, 'status' | 'progress' | 'state' | 'error' | 'pendingOps' | 'details'>>

const maxListed = 1_000
const keptMs = 90 * 24 * 3600 * 1000
const pruneEverySeconds = 3600

export class Actions {
  readonly #parts: { db: Database; clock: Clock }

  constructor(parts: { db: Database; clock: Clock }) {
    this.#parts = parts
  }

  /** Before the jobs start. */
  pruneBy(jobs: Jobs): void {
    jobs.registerPeriodic('cluster-prune-actions', pruneEverySeconds, async () => {
      await store.deleteEndedBefore(this.#parts.db.queries, this.#parts.clock.now() - keptMs)
    })
  }

  /** Refused with 409 while another action runs on the object. */
  async begin(tx: Tx, { name, objectName, nodeUid = '1', description, details = {} }: NewAction): Promise<Action> {
    const running = await store.findRunningOn(tx, objectName)
    if (running !== undefined) throw errors.actionRunning(objectName, running.uid)
    const now = this.#parts.clock.now()
    const row: store.ActionRow = {
      ...{ uid: randomUUID(), name, object_name: objectName, runs_on: objectName, node_uid: nodeUid, description },
      ...{ status: 'pending', progress: 0, state: null, error: null, pending_ops: '{}' },
      ...{ details: JSON.stringify(details), heartbeat: now, created_at: now },
    }
    try {
      await store.insertAction(tx, row)
    } catch (error) {
      if (isUniqueViolation(error)) throw errors.actionRunning(objectName)
      throw error
    }
    return actionOf(row)
  }

  /** Also a sign of life. With `tx`, part of what it tells of. */
  async change(uid: string, change: ActionChange, tx?: Tx): Promise<void> {
    const row = { ...rowChange(change), heartbeat: this.#parts.clock.now() }
    await store.updateAction(tx ?? this.#parts.db.queries, uid, row)
  }

  async get(uid: string): Promise<Action | undefined> {
    const row = await store.findAction(this.#parts.db.queries, uid)
    return row && actionOf(row)
  }

  /** The newest first. */
  async list(): Promise<Action[]> {
    return (await store.newestActions(this.#parts.db.queries, maxListed)).map(actionOf)
  }

  async running(): Promise<Action[]> {
    return (await store.runningActions(this.#parts.db.queries)).map(actionOf)
  }
}

const isOver = (status: ActionStatus): boolean => status === 'completed' || status === 'failed'

function rowChange({ status, progress, state, error, pendingOps, details }: ActionChange): Partial<store.ActionRow> {
  const ends = status !== undefined && isOver(status)
  return {
    ...(status === undefined ? {} : { status }),
    ...(ends ? { runs_on: null, pending_ops: '{}' } : {}),
    ...(progress === undefined ? {} : { progress: Math.min(100, Math.max(0, progress)) }),
    ...(state === undefined ? {} : { state }),
    ...(error === undefined ? {} : { error }),
    ...(pendingOps === undefined ? {} : { pending_ops: JSON.stringify(pendingOps) }),
    ...(details === undefined ? {} : { details: JSON.stringify(details) }),
  }
}

const actionOf = (row: store.ActionRow): Action => ({
  uid: row.uid,
  name: row.name,
  objectName: row.object_name,
  nodeUid: row.node_uid,
  status: row.status,
  progress: row.progress,
  state: row.state ?? undefined,
  heartbeat: row.heartbeat,
  description: row.description,
  error: row.error ?? undefined,
  pendingOps: JSON.parse(row.pending_ops),
  details: JSON.parse(row.details),
  createdAt: row.created_at,
})

// Takes the first deliveries of lanes that are due.
import type { Tx } from '@atoll/kernel/db/database'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Action } from '../actions.ts'
import type { AgentRuntime } from '../ports.ts'
import { beginAttempt, bounded, buryDelivery, type Held } from './attempts.ts'
import { firstOf, leaseLanes, leaveLane, parkLane, releaseLane } from './lanes.ts'
import { tellNews } from './news.ts'
import { type Paused, readPauses } from './pauses.ts'
import { actionOf, type DeliveryRow } from './row.ts'

export interface Taken extends Held {
  row: DeliveryRow
  /** 1 on the first run. */
  attempt: number
}

interface Needs {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'events'>
  maxAttempts: number
  leaseMs: number
  died?: AgentRuntime['died'] | undefined
}

export interface Catch {
  taken: Taken[]
  /** Lanes that were looked at: as many as asked for means that there may be more. */
  lanes: number
  /** Of deliveries that were waiting, and are not any more. */
  unqueued: number
}

const nothing: Catch = { taken: [], lanes: 0, unqueued: 0 }

export async function takeDeliveries(needs: Needs, limit: number): Promise<Catch> {
  const { db, clock, ids } = needs.kernel
  if ((await readPauses(db.queries)).all) return nothing
  const now = clock.now()
  const token = ids.secret(20)
  const lanes = await leaseLanes(db, { limit, now, leaseUntil: Math.round(now + needs.leaseMs), token })
  if (lanes.length === 0) return nothing
  return db.transaction(async (tx) => {
    const paused = await readPauses(tx)
    const caught: Catch = { taken: [], lanes: lanes.length, unqueued: 0 }
    for (const lane of lanes) await takeFirst(needs, tx, { lane, token, paused }, caught)
    const ids = caught.taken.map(({ id }) => id)
    if (ids.length > 0) await tellNews(needs.kernel.events, tx, ids)
    return caught
  })
}

interface Place {
  lane: string
  token: string
  paused: Paused
}

async function takeFirst(needs: Needs, tx: Tx, { lane, token, paused }: Place, caught: Catch): Promise<void> {
  const now = needs.kernel.clock.now()
  const row = await firstOf(tx, lane)
  if (row === undefined) await leaveLane(tx, lane, token, now)
  else if (paused.all) await releaseLane(tx, lane, token, now)
  else if (row.mapping !== null && paused.mappings.includes(row.mapping)) await parkLane(tx, lane, token, row.mapping)
  else {
    if (row.state === 'queued') caught.unqueued += 1
    const held = { id: row.id, lane, token }
    await beginAttempt(tx, held, now)
    if (row.attempts < needs.maxAttempts) caught.taken.push({ ...held, row, attempt: row.attempts + 1 })
    else await bury(needs, tx, held, row)
  }
}

async function bury({ kernel, died }: Needs, tx: Tx, held: Held, row: DeliveryRow): Promise<void> {
  const error = bounded(stopped(row))
  await buryDelivery(tx, held, error, kernel.clock.now())
  const action = readableAction(row)
  if (action?.kind === 'agent') await died?.(tx, { id: row.id, action, trust: row.trust }, error)
}

/** What cannot be read is buried all the same. */
function readableAction(row: DeliveryRow): Action | null {
  try {
    return actionOf(row)
  } catch {
    return null
  }
}

const stopped = ({ attempts, error }: DeliveryRow): string =>
  `the nodes that ran it stopped before it ended, ${attempts} times${error === null ? '' : `; last: ${error}`}`

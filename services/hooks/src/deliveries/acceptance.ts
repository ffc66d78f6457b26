// Takes deliveries in: durable when `accept` resolves. What arrives while a commit is under way shares the next one.
import { createHash } from 'node:crypto'
import type { Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Action, Trust } from '../actions.ts'
import * as errors from '../errors.ts'
import type { AgentRuntime, SystemEvent } from '../ports.ts'
import type { DeliveryJobs } from './delivery-job.ts'
import type { QueueDepth } from './depth.ts'
import { insertDeliveries, insertNewDeliveries, type NewDeliveryRow } from './insert.ts'
import { tellNews } from './news.ts'
import { actionOf } from './row.ts'
import { countDuplicate, findEarlier } from './store.ts'

export interface NewDelivery {
  path: string
  mapping?: string | undefined
  sender: string
  trust: Trust
  /** Null: a transform said to skip it. */
  action: Action | null
  headers: Record<string, string>
  /** Of mapped hooks: what is not in the action. */
  body?: string | undefined
  /** Digest of the body; empty where it has neither key nor nonce, and can be the same as no other. */
  fingerprint: string
  /** What the sender calls it. */
  key?: string | undefined
  /** What was signed once. */
  nonce?: string | undefined
  replayOf?: string | undefined
}

export interface Accepted {
  id: string
  action: Action | null
  /** It was accepted before: nothing happens now. */
  isReplayed: boolean
}

interface Waiting {
  row: NewDeliveryRow
  action: Action | null
  event: SystemEvent | undefined
  resolve(accepted: Accepted): void
  reject(error: unknown): void
}

interface Parts {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'events'>
  runtime: Pick<AgentRuntime, 'addEvents'>
  queue: Pick<DeliveryJobs, 'add'>
  depth: QueueDepth
  maxQueued: number
}

/** Small, and several at once: while one is written the next is heard, and neither thread waits for the other. */
const maxBatch = 32
const maxCommits = 8
/** What has to be looked up goes alone, and its statements wait for each other: then fewer are better. */
const maxChecked = 64
const fullRetryMs = 10_000

export class Acceptance {
  readonly #parts: Parts
  #waiting: Waiting[] = []
  /** Under way. What has to be looked up counts as all there may be: then nothing overtakes it. */
  #commits = 0
  #isScheduled = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  accept(delivery: NewDelivery): Promise<Accepted> {
    const { depth, maxQueued } = this.#parts
    if (delivery.action?.kind === 'agent' && depth.waiting >= maxQueued) throw errors.queueFull(fullRetryMs)
    const row = this.#rowOf(delivery)
    return new Promise((resolve, reject) => {
      const { action } = delivery
      this.#waiting.push({ row, action, event: eventOf(row.id, delivery), resolve, reject })
      this.#schedule()
    })
  }

  /** A full batch at once. Others when nothing is under way, after the requests of this round were all heard. */
  #schedule(): void {
    while (this.#waiting.length >= maxBatch && this.#commits < maxCommits) this.#commitNext()
    if (this.#isScheduled || this.#commits > 0 || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#waiting.length > 0 && this.#commits === 0) this.#commitNext()
      this.#schedule()
    })
  }

  #commitNext(): void {
    const isPlain = this.#isPlain(this.#waiting.slice(0, maxBatch))
    const batch = this.#waiting.splice(0, isPlain ? maxBatch : maxChecked)
    void this.#commit(batch, isPlain ? 1 : maxCommits)
  }

  async #commit(batch: readonly Waiting[], weight: number): Promise<void> {
    this.#commits += weight
    try {
      await this.#settle(batch)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else await this.#oneByOne(batch)
    }
    this.#commits -= weight
    this.#schedule()
  }

  /** None can be another's duplicate, and none wakes anybody: they are only written. */
  #isPlain(batch: readonly Waiting[]): boolean {
    // Several transactions at once would be in each other's way on PostgreSQL.
    if (this.#parts.kernel.db.kind !== 'sqlite') return false
    return batch.every(({ row, event }) => row.dedupe_key === null && row.nonce === null && event?.mode !== 'now')
  }

  /** What one of them did must not be the others' loss. */
  async #oneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#settle([waiting]).catch((error: unknown) => waiting.reject(error))
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    const { db } = this.#parts.kernel
    const results = this.#isPlain(batch)
      ? await db.batch((tx) => this.#writePlain(tx, batch))
      : await db.transaction((tx) => this.#write(tx, batch))
    batch.forEach((waiting, index) => {
      const result = results[index]
      if (result === undefined || result instanceof Error) waiting.reject(result)
      else waiting.resolve(result)
    })
  }

  async #write(tx: Tx, batch: readonly Waiting[]): Promise<(Accepted | Error)[]> {
    const added = await insertDeliveries(
      tx,
      this.#parts.kernel.db.kind,
      batch.map(({ row }) => row),
    )
    await this.#follow(
      tx,
      batch.filter(({ row }) => added.has(row.id)),
    )
    const results: (Accepted | Error)[] = []
    for (const waiting of batch) {
      results.push(added.has(waiting.row.id) ? accepted(waiting) : await earlier(tx, waiting.row))
    }
    return results
  }

  async #writePlain(tx: Tx, batch: readonly Waiting[]): Promise<Accepted[]> {
    const { kind } = this.#parts.kernel.db
    const rows = batch.map(({ row }) => row)
    await together([insertNewDeliveries(tx, kind, rows), this.#follow(tx, batch)])
    return batch.map(accepted)
  }

  /** What comes of those that are new. */
  async #follow(tx: Tx, added: readonly Waiting[]): Promise<void> {
    if (added.length === 0) return
    const { kernel, runtime, queue, depth } = this.#parts
    const queued = added.flatMap(({ row }) => (row.state === 'queued' ? [row] : []))
    const happened = added.flatMap(({ event }) => (event === undefined ? [] : [event]))
    if (queued.length > 0) await queue.add(tx, queued)
    if (happened.length > 0) await runtime.addEvents(tx, happened)
    await tellNews(
      kernel.events,
      tx,
      added.map(({ row }) => row.id),
    )
    kernel.db.afterCommit(tx, () => depth.add(queued.length))
  }

  #rowOf({ action, key, nonce, ...delivery }: NewDelivery): NewDeliveryRow {
    const { clock, ids } = this.#parts.kernel
    const now = clock.now()
    const session_key = action?.kind === 'agent' ? action.sessionKey : null
    const isQueued = session_key !== null
    return {
      id: ids.next('dlv_'),
      state: isQueued ? 'queued' : action === null ? 'skipped' : 'succeeded',
      path: delivery.path,
      mapping: delivery.mapping ?? null,
      sender: delivery.sender,
      trust: delivery.trust,
      action: action === null ? null : JSON.stringify(action),
      session_key,
      headers: JSON.stringify(delivery.headers),
      body: delivery.body ?? null,
      fingerprint: delivery.fingerprint,
      dedupe_key: key === undefined ? null : scoped(delivery, key),
      nonce: nonce === undefined ? null : scoped(delivery, nonce),
      received_at: now,
      ended_at: isQueued ? null : now,
      replay_of: delivery.replayOf ?? null,
    }
  }
}

/** The key is the sender's own, for this path: others cannot guess it, nor run into it. */
const scoped = ({ sender, path }: Pick<NewDelivery, 'sender' | 'path'>, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([sender, path, key]))
    .digest('base64url')

const accepted = ({ row, action }: Waiting): Accepted => ({ id: row.id, action, isReplayed: false })

async function earlier(tx: Tx, row: NewDeliveryRow): Promise<Accepted | Error> {
  const found = await findEarlier(tx, row)
  if (found === undefined) return new Error(`the delivery ${row.id} was not kept, and no other is in its place`)
  if (found.fingerprint !== row.fingerprint) return errors.keyReused()
  await countDuplicate(tx, found.id)
  return { id: found.id, action: actionOf(found), isReplayed: true }
}

function eventOf(deliveryId: string, { action, trust, path }: NewDelivery): SystemEvent | undefined {
  if (action?.kind !== 'wake') return undefined
  const { text, mode, mapping, allowUnsafeExternalContent } = action
  const source = mapping === undefined ? path : `mapping:${mapping}`
  const unsafe = allowUnsafeExternalContent === undefined ? {} : { allowUnsafeExternalContent }
  return { text, trust, source, mode, deliveryId, ...unsafe }
}

// Embeds the chunks of old stores again, from the texts that are kept with them: one durable job for each store. It goes
// on where it was, whatever ended it, and the store is found by its words meanwhile.
import type { Database } from '@atoll/kernel/db/database'
import type { JobKind, Jobs, RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Log } from '@atoll/kernel/telemetry/log'
import { DimensionMismatch, type Vectors } from '@atoll/kernel/vectors/vectors'
import { z } from 'zod'
import type { ProjectCaller } from '../../callers.ts'
import type { Edition, Editions } from './editions.ts'
import { type Embedder, embeddedText } from './embedder.ts'
import type { Attachments } from './files/attachments.ts'
import * as store from './store.ts'

const UpgradeJob = z.strictObject({ storeId: z.string() })
type UpgradeJob = z.output<typeof UpgradeJob>

/** Embedded at once. */
const chunksAtOnce = 32
/** Others want to write as well. */
const chunksPerTransaction = 16
const storesAtOnce = 100
const leaseSeconds = 5
const longestPauseSeconds = 60
/** Of one store, in a row: what keeps it from going on will not pass. */
const maxAttempts = 1_000

/** How far a store is. */
export interface StoreUpgrade {
  id: string
  name: string
  /** Chunks that have their new vectors. */
  done: number
  total: number
  /** Why it cannot go on. */
  problem?: string
}

/** As it is kept with a store. */
interface Progress {
  edition: Edition
  /** The number of the last chunk that has its new vector. */
  last: number
  done: number
  problem?: string
}

interface Parts {
  db: Database
  jobs: Jobs
  log: Log
  vectors: Vectors
  attachments: Attachments
  embedder: Embedder
  editions: Editions
}

export class Upgrades {
  readonly #parts: Parts
  readonly #kind: JobKind<UpgradeJob>
  readonly #closing = new AbortController()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kind = {
      name: 'vector-store-upgrade',
      payload: UpgradeJob,
      maxAttempts,
      leaseSeconds,
      concurrency: 2,
      tenantConcurrency: 1,
      backoffSeconds: (attempt) => Math.min(longestPauseSeconds, 2 ** Math.min(attempt - 1, 6)),
      run: (job) => this.#run(job),
    }
    parts.jobs.register(this.#kind)
  }

  /** Begins with all stores that are old, of every project, or goes on with them; tells which these are. */
  async begin(): Promise<StoreUpgrade[]> {
    const begun: StoreUpgrade[] = []
    for (let after = ''; ; ) {
      const rows = await store.storesAfter(this.#parts.db.queries, after, storesAtOnce)
      for (const row of rows) {
        const one = await this.#beginOne(row)
        if (one !== undefined) begun.push(one)
      }
      const last = rows.at(-1)
      if (last === undefined) return begun
      after = last.id
    }
  }

  async underWay(): Promise<StoreUpgrade[]> {
    const { db, vectors } = this.#parts
    const rows = await store.upgradingStores(db.queries)
    return Promise.all(
      rows.map(async ({ id, name, upgrade }) => toUpgrade(id, name, progressOf(upgrade), await vectors.sizeOf(id))),
    )
  }

  /** The next start goes on with what is under way; before models close. */
  close(): void {
    this.#closing.abort(new Error('The server is shutting down.'))
  }

  async #beginOne(row: store.VectorStoreRow): Promise<StoreUpgrade | undefined> {
    const { db, jobs, vectors, attachments, editions } = this.#parts
    const caller = await attachments.someCaller(row.id)
    if (caller === undefined) return undefined
    const current = await editions.current(caller, row.model)
    if (current === undefined || current === row.edition) return undefined
    const known = row.upgrade === null ? undefined : progressOf(row.upgrade)
    const begins: Progress = { edition: current, last: 0, done: 0 }
    const goesOn = known !== undefined && known.edition === current
    const progress: Progress = goesOn ? { edition: current, last: known.last, done: known.done } : begins
    await db.transaction(async (tx) => {
      await store.changeStore(tx, row.id, { upgrade: JSON.stringify(progress) })
      await jobs.enqueue(tx, this.#kind, { storeId: row.id }, { tenant: row.project_id, uniqueKey: row.id })
    })
    return toUpgrade(row.id, row.name, progress, await vectors.sizeOf(row.id))
  }

  async #run(job: RunningJob<UpgradeJob>): Promise<void> {
    const { db, log, attachments } = this.#parts
    const signal = AbortSignal.any([job.signal, this.#closing.signal])
    signal.throwIfAborted()
    const { storeId } = job.payload
    const row = await store.findAnyStore(db.queries, storeId)
    const caller = await attachments.someCaller(storeId)
    // Deleted or emptied meanwhile, or done by another.
    if (row === undefined || row.upgrade === null) return
    if (caller === undefined) {
      await store.changeStore(db.queries, storeId, { upgrade: null })
      return
    }
    try {
      await this.#upgrade(job, row, caller, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DimensionMismatch)) throw error
      log.warn({ err: error, store: storeId }, 'A vector store cannot be embedded again.')
      const problem = `${error.message}: make the store anew, or set platform.vectorStores.dimensions`
      const progress = progressOf((await store.findAnyStore(db.queries, storeId))?.upgrade ?? row.upgrade)
      await store.changeStore(db.queries, storeId, { upgrade: JSON.stringify({ ...progress, problem }) })
    }
  }

  async #upgrade(
    job: RunningJob<UpgradeJob>,
    row: store.VectorStoreRow,
    caller: ProjectCaller,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, vectors, embedder } = this.#parts
    let progress = progressOf(row.upgrade ?? '{}')
    for (;;) {
      signal.throwIfAborted()
      const chunks = await vectors.chunksAfter(row.id, progress.last, chunksAtOnce)
      if (chunks.length === 0) {
        if (await this.#end(job, row.id, progress)) return
        continue
      }
      const embedded = await embedder.embed(caller, row, chunks.map(embeddedText), { signal, background: true })
      const edition = embedded.edition ?? null
      if (edition !== progress.edition) {
        // The model has changed since it was begun: from the first chunk on, then.
        const isFirst = progress.last === 0
        progress = { edition, last: 0, done: 0 }
        if (!isFirst) continue
      }
      for (let at = 0; at < chunks.length; at += chunksPerTransaction) {
        const some = chunks.slice(at, at + chunksPerTransaction).map(({ number }, index) => ({
          number,
          vector: embedded.vectors[at + index] as Float32Array,
        }))
        const next = { ...progress, last: some.at(-1)?.number ?? progress.last, done: progress.done + some.length }
        await db.transaction(async (tx) => {
          await job.confirm(tx)
          await vectors.replace(tx, row.id, some)
          await store.changeStore(tx, row.id, { upgrade: JSON.stringify(next) })
        })
        progress = next
      }
    }
  }

  /** False: more chunks have come. */
  #end(job: RunningJob<UpgradeJob>, id: string, { edition, last }: Progress): Promise<boolean> {
    const { db, vectors } = this.#parts
    return db.transaction(async (tx) => {
      if (!(await vectors.endReplacing(tx, id, last))) return false
      await store.changeStore(tx, id, { edition, upgrade: null })
      await job.finish(tx)
      return true
    })
  }
}

const toUpgrade = (id: string, name: string | null, { done, problem }: Progress, total: number): StoreUpgrade => ({
  ...{ id, name: name ?? '', done: Math.min(done, total), total },
  ...(problem === undefined ? {} : { problem }),
})

const progressOf = (text: string): Progress => JSON.parse(text) as Progress

// Many files added to a vector store at once, and watched together.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller } from '../../../callers.ts'
import type { ListEnvelope } from '../../../conventions/lists.ts'
import { vectorStoreErrors } from '../../../errors/vector-stores.ts'
import { toCounts } from '../files/attachments.ts'
import type { VectorStoreFileObject } from '../files/schema.ts'
import type { FilesPage, VectorStoreFiles } from '../files/service.ts'
import type { FileCounts } from '../schema.ts'
import type { VectorStores } from '../service.ts'
import type { Cancellation } from './cancellation.ts'
import { entriesOf } from './entries.ts'
import type { CreateFileBatch, FileBatchObject } from './schema.ts'
import * as store from './store.ts'

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  stores: VectorStores
  files: VectorStoreFiles
  cancellation: Cancellation
}

export class FileBatches {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  create(caller: ProjectCaller, storeId: string, body: CreateFileBatch): Promise<FileBatchObject> {
    const { db, ids, clock, stores } = this.#parts
    const id = ids.next('vsfb_')
    const row: store.FileBatchRow = { id, store_id: storeId, created_at: unixSeconds(clock), cancel: null }
    const entries = entriesOf(body)
    const param = body.files === undefined ? 'file_ids' : 'files'
    return db.transaction(async (tx) => {
      await stores.attachFilesIn(tx, caller, storeId, entries, { batchId: id, param })
      await store.insertBatch(tx, row, [...new Set(entries.map(({ fileId }) => fileId))])
      return this.#present(tx, row)
    })
  }

  async get(caller: ProjectCaller, storeId: string, id: string): Promise<FileBatchObject> {
    return this.#present(this.#parts.db.queries, await this.#find(caller, storeId, id))
  }

  async files(
    caller: ProjectCaller,
    storeId: string,
    id: string,
    page: FilesPage,
  ): Promise<ListEnvelope<VectorStoreFileObject>> {
    await this.#find(caller, storeId, id)
    return this.#parts.files.list(caller, storeId, page, id)
  }

  /** Files that are finished stay; work on the others ends now. AST-126 */
  async cancel(caller: ProjectCaller, storeId: string, id: string): Promise<FileBatchObject> {
    const { db, cancellation } = this.#parts
    await this.#find(caller, storeId, id)
    return db.transaction(async (tx) => {
      const row = await store.findBatch(tx, storeId, id)
      if (row === undefined) throw vectorStoreErrors.noSuchBatch(id)
      const { status } = await this.#present(tx, row)
      if (status === 'cancelling' || status === 'cancelled') return this.#present(tx, row)
      if (status !== 'in_progress') throw vectorStoreErrors.cannotCancel(id, status)
      await cancellation.beginIn(tx, row)
      return this.#present(tx, { ...row, cancel: 'cancelling' })
    })
  }

  async #find(caller: ProjectCaller, storeId: string, id: string): Promise<store.FileBatchRow> {
    const { db, stores } = this.#parts
    const isOver = await stores.hasExpired(caller, storeId)
    const row = await store.findBatch(db.queries, storeId, id)
    if (isOver || row === undefined) throw vectorStoreErrors.noSuchBatch(id)
    return row
  }

  async #present(queries: Queries, row: store.FileBatchRow): Promise<FileBatchObject> {
    const counts = toCounts(await store.countMembers(queries, row))
    return {
      id: row.id,
      object: 'vector_store.files_batch',
      created_at: row.created_at,
      vector_store_id: row.store_id,
      status: row.cancel ?? statusOf(counts),
      file_counts: counts,
    }
  }
}

function statusOf({ in_progress, failed, total }: FileCounts): 'in_progress' | 'completed' | 'failed' {
  if (in_progress > 0) return 'in_progress'
  return total > 0 && failed === total ? 'failed' : 'completed'
}

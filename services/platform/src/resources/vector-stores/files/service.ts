// The files of a vector store.
import type { Database, Tx } from '@atoll/kernel/db/database'
import { InvalidCursor, type Page, type PageQuery } from '@atoll/kernel/db/page'
import type { Vectors } from '@atoll/kernel/vectors/vectors'
import type { ProjectCaller } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import { vectorStoreErrors } from '../../../errors/vector-stores.ts'
import type { VectorStores } from '../service.ts'
import { type Attachment, type Attachments, attributesOf } from './attachments.ts'
import type { Attributes } from './attributes/schema.ts'
import type {
  CreateVectorStoreFile,
  FileContentPage,
  FileStatus,
  UpdateVectorStoreFile,
  VectorStoreFileObject,
} from './schema.ts'
import * as store from './store.ts'

interface Parts {
  db: Database
  stores: VectorStores
  attachments: Attachments
  vectors: Pick<Vectors, 'textsOf'>
}

const maxPieces = 2_000

export interface FilesPage extends PageQuery {
  filter?: FileStatus | undefined
}

export class VectorStoreFiles {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  create(caller: ProjectCaller, storeId: string, body: CreateVectorStoreFile): Promise<VectorStoreFileObject> {
    const { db, stores } = this.#parts
    const { file_id: id, chunking_strategy: chunking, attributes } = body
    const entry = { fileId: id, chunking, attributes }
    return db.transaction(async (tx) => {
      await stores.attachFilesIn(tx, caller, storeId, [entry], { param: 'file_id' })
      const [row] = await store.findFiles(tx, storeId, [id])
      if (row === undefined) throw vectorStoreErrors.noSuchFile(id)
      return present(row)
    })
  }

  async update(
    caller: ProjectCaller,
    storeId: string,
    fileId: string,
    { attributes }: UpdateVectorStoreFile,
  ): Promise<VectorStoreFileObject> {
    await this.#checkHolds(caller, storeId, fileId)
    return this.#parts.db.transaction((tx) => this.#describeIn(tx, storeId, fileId, attributes ?? {}))
  }

  async get(caller: ProjectCaller, storeId: string, fileId: string): Promise<VectorStoreFileObject> {
    return present(await this.#find(caller, storeId, fileId))
  }

  /** What was read of it, in the pieces in which it is searched: of a very long file the beginning. */
  async content(caller: ProjectCaller, storeId: string, fileId: string): Promise<FileContentPage> {
    const row = await this.#find(caller, storeId, fileId)
    const texts = await this.#parts.vectors.textsOf(storeId, row.id, maxPieces + 1)
    const data = texts.slice(0, maxPieces).map((text) => ({ type: 'text' as const, text }))
    return { object: 'vector_store.file_content.page', data, has_more: texts.length > maxPieces, next_page: null }
  }

  /** `batchId`: only those of that batch. */
  async list(
    caller: ProjectCaller,
    storeId: string,
    { filter, ...page }: FilesPage,
    batchId?: string,
  ): Promise<ListEnvelope<VectorStoreFileObject>> {
    const isOver = await this.#parts.stores.hasExpired(caller, storeId)
    const find = async (query: PageQuery): Promise<Page<VectorStoreFileObject>> => {
      if (isOver) return { rows: [], hasMore: false }
      const { queries } = this.#parts.db
      const cursors = await this.#cursors(storeId, query)
      const found = await store.listFiles(queries, { storeId, status: filter, batchId }, { ...query, ...cursors })
      return { ...found, rows: found.rows.map(present) }
    }
    return listPage(page, find, (file) => file)
  }

  /** From the store only. AST-122 */
  async delete(caller: ProjectCaller, storeId: string, fileId: string): Promise<void> {
    const { db, attachments } = this.#parts
    await this.#checkHolds(caller, storeId, fileId)
    await db.transaction(async (tx) => {
      const [row] = await store.findFiles(tx, storeId, [fileId])
      if (row === undefined || row.status === 'removed') throw vectorStoreErrors.noSuchFile(fileId)
      await attachments.removeIn(tx, row)
    })
  }

  async #describeIn(tx: Tx, storeId: string, fileId: string, attributes: Attributes): Promise<VectorStoreFileObject> {
    const row = await this.#parts.attachments.describe(tx, storeId, fileId, attributes)
    if (row === undefined) throw vectorStoreErrors.noSuchFile(fileId)
    return present(row)
  }

  /** A store that has expired holds nothing. */
  async #checkHolds(caller: ProjectCaller, storeId: string, fileId: string): Promise<void> {
    if (await this.#parts.stores.hasExpired(caller, storeId)) throw vectorStoreErrors.noSuchFile(fileId)
  }

  async #find(caller: ProjectCaller, storeId: string, fileId: string): Promise<Attachment> {
    await this.#checkHolds(caller, storeId, fileId)
    const row = await this.#parts.attachments.find(storeId, fileId)
    if (row === undefined) throw vectorStoreErrors.noSuchFile(fileId)
    return row
  }

  /** A file's id tells when it was uploaded; the list is in the order in which files were attached. */
  async #cursors(storeId: string, { after, before }: PageQuery): Promise<Pick<PageQuery, 'after' | 'before'>> {
    const place = async (parameter: 'after' | 'before', fileId: string | undefined) => {
      if (fileId === undefined) return {}
      const [row] = await store.findFiles(this.#parts.db.queries, storeId, [fileId])
      if (row === undefined) throw new InvalidCursor(parameter)
      return { [parameter]: row.id }
    }
    return { ...(await place('after', after)), ...(await place('before', before)) }
  }
}

function present(row: Attachment): VectorStoreFileObject {
  return {
    id: row.file_id,
    object: 'vector_store.file',
    created_at: row.created_at,
    usage_bytes: row.usage_bytes,
    vector_store_id: row.store_id,
    status: row.status === 'removed' ? 'cancelled' : row.status,
    last_error: row.error === null ? null : JSON.parse(row.error),
    attributes: attributesOf(row),
    chunking_strategy: {
      type: 'static',
      static: { max_chunk_size_tokens: row.chunk_tokens, chunk_overlap_tokens: row.overlap_tokens },
    },
  }
}

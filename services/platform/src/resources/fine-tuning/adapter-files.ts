// Adapters of fine-tuned models as files of this machine: the bytes are kept with the platform's own, and copied out
// once for the model's process to read.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobStore, StoredBlob } from '@atoll/kernel/blobs/blobs'
import type { Segments } from '@atoll/kernel/blobs/segments'
import type { Database, Tx } from '@atoll/kernel/db/database'

interface Parts {
  db: Database
  blobs: BlobStore
  segments: Segments
  /** Of the platform's data. */
  folder: string
}

const folderName = 'adapters'
const maxAdapterBytes = 16 * 1024 ** 3

export class AdapterFiles {
  readonly #parts: Parts
  readonly #copying = new Map<string, Promise<string>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  store(file: string): Promise<StoredBlob> {
    return this.#parts.blobs.write(createReadStream(file), { maxBytes: maxAdapterBytes })
  }

  keep(tx: Tx, model: string, blob: StoredBlob): Promise<void> {
    return this.#parts.segments.keep(tx, model, [blob])
  }

  release(tx: Tx, models: readonly string[]): Promise<void> {
    this.#parts.db.afterCommit(tx, () => {
      for (const model of models) void rm(this.#path(model), { force: true }).catch(() => undefined)
    })
    return this.#parts.segments.release(tx, models)
  }

  fileOf(model: string): Promise<string> {
    const known = this.#copying.get(model)
    if (known !== undefined) return known
    const copying = this.#copy(model).finally(() => this.#copying.delete(model))
    this.#copying.set(model, copying)
    return copying
  }

  async #copy(model: string): Promise<string> {
    const { db, segments, folder } = this.#parts
    const path = this.#path(model)
    if (await stat(path).catch(() => undefined)) return path
    await mkdir(join(folder, folderName), { recursive: true, mode: 0o700 })
    const temporary = `${path}.new`
    const source = segments.read(await segments.of(db.queries, model))
    await pipeline(source, createWriteStream(temporary, { mode: 0o600 }))
    await rename(temporary, path)
    return path
  }

  /** Ids have signs that names of files cannot have. */
  #path(model: string): string {
    return join(this.#parts.folder, folderName, `${createHash('sha256').update(model).digest('hex')}.gguf`)
  }
}

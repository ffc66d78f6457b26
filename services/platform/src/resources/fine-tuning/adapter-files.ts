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
import { fineTuningErrors } from '../../errors/fine-tuning.ts'
import { BaseDigests } from './base-digests.ts'

interface Parts {
  db: Database
  blobs: BlobStore
  segments: Segments
  /** Of the platform's data. */
  folder: string
}

/** What a fine-tuned model consists of, on this machine. */
export interface FineTunedFiles {
  base: string
  adapter: string
}

interface Base {
  id: string
  /** Undefined: it is no GGUF file any more. */
  file: string | undefined
  /** Of the file that was trained on, where that is known. */
  sha256: string | null
}

const folderName = 'adapters'
const maxAdapterBytes = 16 * 1024 ** 3

export class AdapterFiles {
  readonly #parts: Parts
  readonly #digests = new BaseDigests()
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

  /** Throws when the base's file is not the one that was trained on. */
  async fileOf(model: string, { id, file, sha256 }: Base): Promise<string> {
    const isSame = file !== undefined && (sha256 === null || (await this.#digests.sha256(file)) === sha256)
    if (!isSame) throw fineTuningErrors.otherBase(model, id)
    return this.#copied(model)
  }

  #copied(model: string): Promise<string> {
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

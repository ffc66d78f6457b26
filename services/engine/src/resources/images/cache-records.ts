// Layers of builds in the catalogue, and folders that their steps share, as records of one cache.
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CacheRecord, CacheRecords } from '../../images/build-cache.ts'
import type { ImageLibrary } from './image-library.ts'

export class LibraryCache implements CacheRecords {
  readonly #library: ImageLibrary
  /** Of the folders that steps share. */
  readonly #folder: string

  constructor(library: ImageLibrary, folder: string) {
    this.#library = library
    this.#folder = folder
  }

  async records(): Promise<CacheRecord[]> {
    return [...this.layers(), ...(await this.#folders())]
  }

  async remove(records: readonly CacheRecord[]): Promise<void> {
    const { catalog, content } = this.#library
    const built = records.filter(({ type }) => type === 'regular').map(({ id }) => `sha256:${id}`)
    if (built.length > 0) await catalog.exclusively(() => catalog.change({}, { built }))
    for (const { id, type } of records) if (type === 'exec.cachemount') await content.discard(join(this.#folder, id))
    await this.#library.sweep()
    await content.emptyTrash()
  }

  layers(): CacheRecord[] {
    const { catalog } = this.#library
    const inImages = new Set([...catalog.images.values()].flatMap(({ chainIds }) => chainIds))
    const isBusy = new Set([...catalog.steps.values()].flatMap(({ chainIds }) => chainIds))
    return [...catalog.built.values()].map((row) => ({
      id: row.key.slice('sha256:'.length),
      parent: row.parent.replace(/^sha256:/, ''),
      type: 'regular',
      description: row.description,
      isShared: inImages.has(row.chain_id),
      isInUse: isBusy.has(row.chain_id),
      bytes: row.size + row.bytes,
      createdAt: row.created_at,
      usedAt: row.used_at,
      uses: row.uses,
    }))
  }

  async #folders(): Promise<CacheRecord[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o711 })
    const names = await readdir(this.#folder)
    return Promise.all(
      names.map(async (id): Promise<CacheRecord> => {
        const path = join(this.#folder, id)
        const { birthtimeMs, mtimeMs } = await stat(path)
        return {
          ...{ id, parent: '', type: 'exec.cachemount', description: 'RUN --mount=type=cache', isShared: false },
          isInUse: this.#library.catalog.steps.size > 0,
          bytes: await this.#library.content.sizeOf(path),
          ...{ createdAt: birthtimeMs, usedAt: mtimeMs, uses: 1 },
        }
      }),
    )
  }
}

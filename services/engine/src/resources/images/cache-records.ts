// Layers of builds in the catalogue, and folders that their steps share or that clients sent, as records of one cache.
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CacheRecord, CacheRecords } from '../../images/build-cache.ts'
import type { ImageLibrary } from './image-library.ts'

/** Kinds of folders, by where they lie. */
export interface CacheFolders {
  'exec.cachemount': string
  'source.local': string
}

type FolderType = keyof CacheFolders

const descriptions: Readonly<Record<FolderType, string>> = {
  'exec.cachemount': 'RUN --mount=type=cache',
  'source.local': 'files of a client, as they were sent last',
}
const folderTypes = Object.keys(descriptions) as FolderType[]

export class LibraryCache implements CacheRecords {
  readonly #library: ImageLibrary
  readonly #folders: CacheFolders

  constructor(library: ImageLibrary, folders: CacheFolders) {
    this.#library = library
    this.#folders = folders
  }

  async records(): Promise<CacheRecord[]> {
    const inFolders = await Promise.all(folderTypes.map((type) => this.#foldersOf(type)))
    return [...this.layers(), ...inFolders.flat()]
  }

  async remove(records: readonly CacheRecord[]): Promise<void> {
    const { catalog, content } = this.#library
    const built = records.filter(({ type }) => type === 'regular').map(({ id }) => `sha256:${id}`)
    if (built.length > 0) await catalog.exclusively(() => catalog.change({}, { built }))
    for (const { id, type } of records) if (type !== 'regular') await content.discard(join(this.#folders[type], id))
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

  async #foldersOf(type: FolderType): Promise<CacheRecord[]> {
    const folder = this.#folders[type]
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const records = (await readdir(folder)).map((id) => this.#folderRecord(type, id))
    return (await Promise.all(records)).filter((record) => record !== undefined)
  }

  /** Undefined: a build has just taken it. */
  async #folderRecord(type: FolderType, id: string): Promise<CacheRecord | undefined> {
    const path = join(this.#folders[type], id)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return undefined
    return {
      ...{ id, parent: '', type, description: descriptions[type], isShared: false },
      // Contexts that a build uses lie elsewhere.
      isInUse: type === 'exec.cachemount' && this.#library.catalog.steps.size > 0,
      bytes: await this.#library.content.sizeOf(path).catch(() => 0),
      ...{ createdAt: found.birthtimeMs, usedAt: found.mtimeMs, uses: 1 },
    }
  }
}

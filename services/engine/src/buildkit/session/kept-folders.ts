// Folders of clients as they were sent last: a client that builds again sends what has changed since.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stat } from '../protocol/session.ts'
import { isFolder } from './tar-entry.ts'

/** What tells that an entry is still the same, by path. */
export type KnownEntries = ReadonlyMap<string, string>

/** All that a client has in a folder. */
export interface ListedEntries {
  entries: KnownEntries
  bytes: bigint
}

const maxKept = 16
/** A larger one is sent anew each time. */
const maxKeptBytes = 1024n ** 3n
const maxListBytes = 256 * 1024 * 1024

/** Links are sent each time: what they are depends on what is elsewhere. */
export function signatureOf(entry: Stat): string {
  if (isFolder(entry)) return folderSignature
  if (entry.linkname !== '') return ''
  const { mode, size, modTime, uid, gid, xattrs } = entry
  return `${mode} ${size} ${modTime} ${uid} ${gid} ${xattrs.size === 0 ? '' : attributesDigest(xattrs)}`
}

const folderSignature = 'folder'

/** They change without the time of the file. */
function attributesDigest(xattrs: Stat['xattrs']): string {
  const hash = createHash('sha256')
  for (const [name, value] of xattrs) hash.update(`${name}\0${value.length}\0`).update(value)
  return hash.digest('hex')
}

/** Folders are sent each time, for their own times and modes. */
export const isSame = (signature: string, known: string | undefined): boolean =>
  signature !== '' && signature !== folderSignature && signature === known

export class KeptFolders {
  readonly #folder: string
  readonly #bootId: Promise<string>

  constructor(folder: string) {
    this.#folder = folder
    this.#bootId = readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  }

  /** Puts what is kept by that key into a place of the caller's, as `files`; returns what that is. */
  async take(key: string, place: string): Promise<KnownEntries> {
    const taken = await rename(this.#pathOf(key), place).then(
      () => true,
      () => false, // nothing is kept, or another build has it
    )
    const list = taken ? await readFile(join(place, 'list'), 'utf8').catch(() => '') : ''
    const [bootId, ...entries] = list.split('\n')
    // After a power cut, nobody knows what of it is really on the disk.
    if (taken && bootId === (await this.#boot())) {
      return new Map(entries.map((line) => line.split('\0') as [string, string]))
    }
    await rm(join(place, 'files'), { recursive: true, force: true })
    await rm(join(place, 'list'), { force: true })
    await mkdir(join(place, 'files'))
    return new Map()
  }

  /** Keeps a folder for the next build: `place` has the files in `files`, and what was known of them before. */
  async keep(key: string, place: string, known: KnownEntries, { entries, bytes }: ListedEntries): Promise<void> {
    if (bytes > maxKeptBytes) return
    const isListed = known.size === entries.size && [...entries].every(([path, text]) => known.get(path) === text)
    if (!isListed) {
      const lines = Array.from(entries, ([path, signature]) => `${path}\0${signature}`)
      const list = [await this.#boot(), ...lines].join('\n')
      if (list.length > maxListBytes || lines.some((line) => line.includes('\n'))) return
      await writeFile(join(place, 'list'), list)
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o711 })
    const path = this.#pathOf(key)
    const now = new Date()
    await utimes(place, now, now)
    // Another build may have kept its own meanwhile: that one stays.
    await rename(place, path).catch(() => {})
    await this.#trim()
  }

  async #trim(): Promise<void> {
    const names = await readdir(this.#folder)
    const kept = await Promise.all(
      names.map(async (name) => ({
        name,
        usedAt: (await stat(join(this.#folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    )
    for (const { name } of kept.toSorted((one, other) => other.usedAt - one.usedAt).slice(maxKept)) {
      await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }

  async #boot(): Promise<string> {
    return (await this.#bootId).trim()
  }

  #pathOf(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'))
  }
}

/** Takes away what is not listed any more or has changed, so that what comes meets nothing in its way. */
export async function removeStale(folder: string, known: KnownEntries, now: KnownEntries): Promise<void> {
  const isStale = (path: string, signature: string) => signature === '' || now.get(path) !== signature
  // What is inside of a folder goes before the folder: it has the longer path.
  const stale = [...known].filter(([path, signature]) => isStale(path, signature)).map(([path]) => path)
  for (const path of stale.toSorted((one, other) => other.length - one.length)) {
    await unlink(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR' || error.code === 'EPERM') return rmdir(join(folder, path))
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
  }
}

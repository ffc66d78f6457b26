// Backups in a folder of this machine, or of a disk that is mounted here.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../../blobs/durable-folders.ts'
import type { Place } from './place.ts'

const incoming = 'incoming'

export function folderPlace(folder: string): Place {
  return {
    description: folder,
    async write(name, _bytes, source) {
      const path = join(folder, name)
      const half = join(folder, incoming, randomUUID())
      await mkdir(dirname(half), { recursive: true, mode: 0o700 })
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        const file = await open(half, 'wx', 0o600)
        await pipeline(source, file.createWriteStream({ flush: true }))
        await rename(half, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(half, { force: true })
        throw error
      }
    },
    async read(name) {
      const stream = createReadStream(join(folder, name))
      try {
        await once(stream, 'open')
        return stream
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async list(name) {
      try {
        const entries = await readdir(join(folder, name), { withFileTypes: true })
        return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    // What a killed backup left half-way; two at once into one folder is nobody's wish.
    close: () => rm(join(folder, incoming), { recursive: true, force: true }),
  }
}

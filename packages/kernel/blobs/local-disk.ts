// Blobs as files: `<folder>/incoming/<key>` while being written, `<folder>/<two letters>/<key>` once whole and durable.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock/clock.ts'
import type { Ids } from '../ids/ids.ts'
import { assertBlobKey, blobFolder, blobStartedAt, isBlobKey, newBlobKey } from './blob-key.ts'
import { BlobMissing, type BlobStore, type ByteRange, type StoredBlob, type WriteOptions } from './blobs.ts'
import { DurableFolders, syncFolder } from './durable-folders.ts'
import { IncomingFile } from './incoming-file.ts'
import { receive } from './receive.ts'

const incomingFolder = 'incoming'
const readChunkBytes = 256 * 1024

export async function createLocalDisk(folder: string, clock: Clock, ids: Ids): Promise<BlobStore> {
  const folders = await DurableFolders.below(folder)
  await folders.make(incomingFolder)
  const incomingPath = (key: string) => join(folder, incomingFolder, key)
  const finishedPath = (key: string) => join(folder, blobFolder(key), key)
  return {
    async write(source, options) {
      const { key = newBlobKey(clock, ids) } = options
      assertBlobKey(key)
      const bytes = await receiveFile(source, incomingPath(key), options)
      await publish(incomingPath(key), finishedPath(key), () => folders.make(blobFolder(key)))
      return { key, bytes } satisfies StoredBlob
    },
    async read(key, range) {
      assertBlobKey(key)
      return openForReading(key, finishedPath(key), range)
    },
    async size(key) {
      assertBlobKey(key)
      return stat(finishedPath(key)).then(
        (found) => found.size,
        (error) => unlessAbsent(error, undefined),
      )
    },
    async remove(key) {
      assertBlobKey(key)
      await rm(finishedPath(key), { force: true })
      await rm(incomingPath(key), { force: true })
    },
    list: () => listKeys(folder),
    async freeBytes() {
      const disk = await statfs(folder)
      return disk.bavail * disk.bsize
    },
  }
}

async function receiveFile(source: Readable, path: string, options: WriteOptions): Promise<number> {
  options.signal?.throwIfAborted()
  const file = new IncomingFile(path, options)
  await receive(source, file, options.signal)
  return file.bytes
}

async function publish(from: string, to: string, makeFolder: () => Promise<void>): Promise<void> {
  try {
    await makeFolder()
    await rename(from, to)
    await Promise.all([syncFolder(dirname(to)), syncFolder(dirname(from))])
  } catch (error) {
    await Promise.all([rm(from, { force: true }), rm(to, { force: true })])
    throw error
  }
}

async function openForReading(key: string, path: string, range: ByteRange | undefined): Promise<Readable> {
  const stream = createReadStream(path, { ...range, highWaterMark: readChunkBytes })
  try {
    await once(stream, 'open')
  } catch (error) {
    if (unlessAbsent(error, true)) throw new BlobMissing(key)
  }
  return stream
}

/** What is being written first: it may be moved meanwhile, and is then seen twice, not never. */
async function* listKeys(folder: string): AsyncGenerator<{ key: string; startedAt: number }> {
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const finished = folders.map(({ name }) => name).filter((name) => name !== incomingFolder)
  for (const name of [incomingFolder, ...finished]) {
    for (const key of await readdir(join(folder, name))) {
      if (isBlobKey(key)) yield { key, startedAt: blobStartedAt(key) }
    }
  }
}

/** `value` when the file is not there; any other error goes on. */
function unlessAbsent<T>(error: unknown, value: T): T {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value
  throw error
}

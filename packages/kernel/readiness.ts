// Whether what is sent here can be kept: the database answers, the disk takes bytes, and the bucket is there.
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from './db/database.ts'
import { storageProblem } from './db/storage-problem.ts'

/** A write this large must fit: statements write a few pages, and the log of SQLite grows by more. */
const probeBytes = 1024 * 1024
/** Many may ask at once, and a look may take longer than some of them wait: its answer is kept from when it came. */
export const lookKeptMs = 1_000
const pingMs = 5_000

type Reason = string | undefined

/** What a node is without. */
export interface Lack {
  reason: string
  /** Of bytes that lie elsewhere: most requests are answered without them. */
  isOfBucket: boolean
}

/** Resolves to undefined where nothing lacks. `folders` are those that requests write to. */
export function createReadiness(
  db: Database,
  folders: readonly string[],
  elsewhere: () => Promise<Reason> = async () => undefined,
): () => Promise<Lack | undefined> {
  let last: { until: number; lack: Promise<Lack | undefined> } | undefined
  return () => {
    if (last === undefined || performance.now() > last.until) {
      const look = { until: Number.POSITIVE_INFINITY, lack: lackOf(db, folders, elsewhere) }
      void look.lack.then(() => {
        look.until = performance.now() + lookKeptMs
      })
      last = look
    }
    return last.lack
  }
}

async function lackOf(
  db: Database,
  folders: readonly string[],
  elsewhere: () => Promise<Reason>,
): Promise<Lack | undefined> {
  const here = await whyNotHere(db, folders)
  if (here !== undefined) return { reason: here, isOfBucket: false }
  const there = await Promise.race([elsewhere(), patience()]).catch(() => 'The bucket of blobs does not answer.')
  return there === undefined ? undefined : { reason: there, isOfBucket: true }
}

async function whyNotHere(db: Database, folders: readonly string[]): Promise<Reason> {
  try {
    await Promise.race([db.ping(), patience()])
  } catch {
    return 'The database does not answer.'
  }
  for (const folder of folders) {
    const reason = await whyNotWritable(folder)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** A connection whose other end is gone without a word may take minutes to notice. */
async function patience(): Promise<never> {
  await pause(pingMs, undefined, { ref: false })
  throw new Error('it took too long to answer')
}

/** Quotas and read-only mounts are seen by nothing but a write. */
async function whyNotWritable(folder: string): Promise<Reason> {
  const path = join(folder, `.room-${process.pid}`)
  try {
    const file = await open(path, 'w', 0o600)
    try {
      // Without a name it is gone with the process, however that ends.
      await unlink(path)
      await file.writeFile(new Uint8Array(probeBytes))
    } finally {
      await file.close()
    }
    return undefined
  } catch (error) {
    return storageProblem(error) === 'full'
      ? 'The disk of this server is full.'
      : `The data folder cannot be written to (${(error as NodeJS.ErrnoException).code}).`
  }
}

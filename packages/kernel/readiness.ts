// Whether what is sent here can be kept: the database answers, the disk takes bytes, and the bucket is there.
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from './db/database.ts'
import { storageProblem } from './db/storage-problem.ts'

/** A write this large must fit: statements write a few pages, and the log of SQLite grows by more. */
const probeBytes = 1024 * 1024
/** Many may ask at once, and a look may take longer than some of them wait: its answer is kept from when it came. */
const keepMs = 1_000
const pingMs = 5_000

type Reason = string | undefined

/** Resolves to the reason why not, or to undefined. `folders` are those that requests write to. */
export function createReadiness(
  db: Database,
  folders: readonly string[],
  elsewhere: () => Promise<Reason> = async () => undefined,
): () => Promise<Reason> {
  let last: { until: number; reason: Promise<Reason> } | undefined
  return () => {
    if (last === undefined || performance.now() > last.until) {
      const look = { until: Number.POSITIVE_INFINITY, reason: whyNot(db, folders, elsewhere) }
      void look.reason.then(() => {
        look.until = performance.now() + keepMs
      })
      last = look
    }
    return last.reason
  }
}

async function whyNot(db: Database, folders: readonly string[], elsewhere: () => Promise<Reason>): Promise<Reason> {
  try {
    await Promise.race([db.ping(), patience()])
  } catch {
    return 'The database does not answer.'
  }
  for (const folder of folders) {
    const reason = await whyNotWritable(folder)
    if (reason !== undefined) return reason
  }
  try {
    return await Promise.race([elsewhere(), patience()])
  } catch {
    return 'The bucket of blobs does not answer.'
  }
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

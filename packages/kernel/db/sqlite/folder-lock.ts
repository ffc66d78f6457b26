// One process to a data folder. The lock is SQLite's own on a tiny file: the system drops it even after kill -9.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeOwnFile } from './own-file.ts'

const sqliteBusy = 5

/** Returns the way to give the folder back. */
export function lockFolder(folder: string): () => void {
  const db = new DatabaseSync(makeOwnFile(join(folder, 'lock.db')), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    throw new Error(
      `the data folder ${folder} is in use by another Atoll process; stop that one, or choose another folder`,
    )
  }
  return () => db.close()
}

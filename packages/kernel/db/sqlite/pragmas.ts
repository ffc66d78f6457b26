// Settings of every connection to the file. Kept apart so that the writer thread imports nothing else.
import type { DatabaseSync } from 'node:sqlite'

const busyMs = 5_000
/** Pages of 4 KiB after which the write-ahead log is copied back into the database file. */
const checkpointPages = 2_000
const maxIdleWalBytes = 32 * 1024 * 1024

export function configureReader(db: DatabaseSync): void {
  db.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA temp_store = MEMORY`)
}

export function configureWriter(db: DatabaseSync): void {
  db.exec(`PRAGMA busy_timeout = ${busyMs}`)
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = FULL')
  db.exec('PRAGMA foreign_keys = ON')
  db.exec('PRAGMA temp_store = MEMORY')
  db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  db.exec(`PRAGMA journal_size_limit = ${maxIdleWalBytes}`)
}

// What is wrong with the storage, told from what a database driver or the file system threw: one place for both
// engines and for files, so that every service answers alike.
import { DatabaseOverloaded } from './overloaded.ts'

/** `full`: nothing can be written until somebody makes room. `away`: the same request may work a little later. */
export type StorageProblem = 'full' | 'away'

/** Of SQLite, by primary and by extended code. EDQUOT comes as a failed write, a full /dev/shm as a failed growth. */
const sqlitePrimary: Record<number, StorageProblem> = {
  13: 'full', // SQLITE_FULL
  5: 'away', // SQLITE_BUSY
  7: 'away', // SQLITE_NOMEM
  10: 'away', // SQLITE_IOERR
  14: 'away', // SQLITE_CANTOPEN
}
const sqliteExtended: Record<number, StorageProblem> = {
  778: 'full', // SQLITE_IOERR_WRITE
  4874: 'full', // SQLITE_IOERR_SHMSIZE
}

/** Of the system, of PostgreSQL, and of a bucket (blobs/s3/failure.ts). */
const codes: Record<string, StorageProblem> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  BUCKET_FULL: 'full',
  BUCKET_AWAY: 'away',
  '53100': 'full', // disk_full
  '57014': 'away', // query_canceled: the time for a statement was over
  '25P03': 'away', // idle_in_transaction_session_timeout
  '40001': 'away', // serialization_failure, after many tries
  '40P01': 'away', // deadlock_detected, likewise
  ECONNREFUSED: 'away',
  ECONNRESET: 'away',
  EPIPE: 'away',
  ETIMEDOUT: 'away',
  EHOSTUNREACH: 'away',
  ENETUNREACH: 'away',
  ENOTFOUND: 'away',
  EAI_AGAIN: 'away',
}
/** Connection lost or refused, resources used up, the server shut down or starting. */
const awayClasses = /^(08...|53...|57P0.)$/
/** What the driver says without a code. */
const awayWords =
  /^(connection terminated|timeout exceeded when trying to connect|timeout expired|client .*not queryable)/i

const maxDepth = 10

/** Undefined when the error tells of something else. What wraps another error speaks for that one. */
export function storageProblem(error: unknown): StorageProblem | undefined {
  let at = error
  for (let depth = 0; at instanceof Error && depth < maxDepth; depth++) {
    const problem = problemOf(at)
    if (problem !== undefined) return problem
    at = at.cause
  }
  return undefined
}

function problemOf(error: Error): StorageProblem | undefined {
  if (error instanceof DatabaseOverloaded) return 'away'
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return sqliteExtended[errcode] ?? sqlitePrimary[errcode & 0xff]
  if (typeof code === 'string') return codes[code] ?? (awayClasses.test(code) ? 'away' : undefined)
  return awayWords.test(error.message) ? 'away' : undefined
}

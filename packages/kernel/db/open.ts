import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'
import type { PoolSettings } from './postgres/connection.ts'

export type DatabaseTarget = { kind: 'sqlite'; folder: string } | ({ kind: 'postgres'; url: string } & PoolSettings)

export interface OpenOptions {
  log: Log
  /** Called when the database is lost for good; unless given, the process ends with the error. */
  lost?: (error: Error) => void
}

/** A server that can write nothing must not look alive: whoever watches it starts it anew. */
function endProcess(error: Error): never {
  throw error
}

/** Each engine is loaded only when it is used: an idle node should not carry the other one's driver. */
export async function openDatabase(target: DatabaseTarget, options: OpenOptions): Promise<Database> {
  if (target.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite/database.ts')
    return openSqlite(target.folder, options.log, options.lost ?? endProcess)
  }
  const { openPostgres } = await import('./postgres/database.ts')
  return openPostgres(target, options.log)
}

import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'

export type DatabaseTarget = { kind: 'sqlite'; folder: string } | { kind: 'postgres'; url: string; poolSize?: number }

/** Each engine is loaded only when it is used: an idle node should not carry the other one's driver. */
export async function openDatabase(target: DatabaseTarget, options: { log: Log }): Promise<Database> {
  if (target.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite/database.ts')
    return openSqlite(target.folder, options.log)
  }
  const { openPostgres } = await import('./postgres/database.ts')
  return openPostgres(target, options.log)
}

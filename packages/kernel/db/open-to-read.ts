import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'
import type { DatabaseTarget } from './open.ts'

/** For looking at what another process may be using: takes no lock, migrates nothing, writes nothing. */
export async function openToRead(
  target: DatabaseTarget,
  options: { log: Log },
): Promise<Pick<Database, 'queries' | 'close'>> {
  if (target.kind === 'sqlite') return (await import('./sqlite/read-only.ts')).openSqliteToRead(target.folder)
  return (await import('./postgres/database.ts')).openPostgres(target, options.log)
}

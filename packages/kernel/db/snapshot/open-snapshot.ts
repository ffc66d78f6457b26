import type { Log } from '../../telemetry/log.ts'
import type { DatabaseTarget } from '../open.ts'
import type { Snapshot } from './snapshot.ts'

export async function openSnapshot(target: DatabaseTarget, log: Log): Promise<Snapshot> {
  if (target.kind === 'sqlite') return (await import('../sqlite/snapshot.ts')).openSqliteSnapshot(target.folder)
  return (await import('../postgres/snapshot.ts')).openPostgresSnapshot(target.url, log)
}

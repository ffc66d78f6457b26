// Finds whoever keeps the secrets of a data folder: the Atoll that runs on it, else this process, on the database itself.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createKernel } from '@atoll/kernel/create-kernel'
import { appliedMigrations } from '@atoll/kernel/db/applied-migrations'
import { migrate } from '@atoll/kernel/db/migrate'
import { openToRead } from '@atoll/kernel/db/open-to-read'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { CommandProblem } from '../command-problem.ts'
import type { AtollConfig } from '../config.ts'
import { ask } from '../control/ask.ts'
import { databasePlace } from '../database-place.ts'
import type { Status } from '../up/control-commands.ts'
import { databaseReason } from '../up/start-failure.ts'
import { createKeeper } from './keeper.ts'
import type { KeptKey, KeyKeeper, MadeKey } from './key.ts'

export async function withKeeper<Result>(
  config: AtollConfig,
  work: (keeper: KeyKeeper) => Promise<Result>,
): Promise<Result> {
  const { url } = config.database
  const running = await ask<Status>(config.data, 'status')
  // One that runs on this folder with another database is not the one that is asked for.
  const isKept = url === undefined || running?.database === databasePlace(url)
  if (running !== undefined && isKept) return work(remoteKeeper(config.data))
  await refuseEmpty(config)
  process.umask(0o077)
  const kernel = await createKernel({ config, log: quiet(), migrations: [] })
  try {
    return await work(await localKeeper(kernel, config))
  } finally {
    await kernel.close()
  }
}

const quiet = () => createLog({ level: 'error' })
const undefinedTable = '42P01'

/** Looking for keys makes no database. */
async function refuseEmpty({ data, database: { url } }: AtollConfig): Promise<void> {
  const none = (place: string) =>
    new CommandProblem(`there are no keys in ${place} yet: ./atoll up makes the first ones.`)
  if (url === undefined) {
    if (existsSync(join(data, 'atoll.db'))) return
    throw none(data)
  }
  const { queries, close } = await openToRead({ kind: 'postgres', url }, { log: quiet() }).catch(unusable(url))
  try {
    await appliedMigrations(queries)
  } catch (error) {
    throw (error as { code?: string }).code === undefinedTable
      ? none(`the database at ${databasePlace(url)}`)
      : unusable(url)(error)
  } finally {
    await close()
  }
}

const unusable =
  (url: string) =>
  (error: unknown): never => {
    const reason = error instanceof Error ? databaseReason(error, url) : undefined
    throw reason === undefined ? error : new CommandProblem(reason)
  }

async function localKeeper(kernel: Kernel, config: AtollConfig): Promise<KeyKeeper> {
  const applied = await appliedMigrations(kernel.db.queries)
  const has = (service: string): boolean => [...applied].some((name) => name.startsWith(`${service}/`))
  const [hasHooks, hasCluster] = [has('hooks'), has('cluster')]
  if (hasHooks) await migrate(kernel.db, (await import('@atoll/hooks/migrations')).hooksMigrations)
  if (hasCluster) await migrate(kernel.db, (await import('@atoll/cluster/migrations')).clusterMigrations)
  const identity = has('platform') ? await openIdentity(kernel) : undefined
  return createKeeper({ kernel, config, identity, hasHooks, hasCluster })
}

async function openIdentity(kernel: Kernel) {
  const [{ platformMigrations }, { createIdentity }, { AuditLog }] = await Promise.all([
    import('@atoll/platform/migrations/migrations'),
    import('@atoll/platform/identity/identity'),
    import('@atoll/platform/audit/audit-log'),
  ])
  await migrate(kernel.db, platformMigrations)
  return createIdentity({ ...kernel, audit: new AuditLog(kernel) })
}

const remoteKeeper = (folder: string): KeyKeeper => ({
  list: () => told<KeptKey[]>(folder, 'keys.list'),
  create: (asked) => told<MadeKey>(folder, 'keys.create', asked),
  replace: (id) => told<MadeKey>(folder, 'keys.replace', id),
  async remove(id) {
    await ask(folder, 'keys.remove', id)
  },
})

async function told<Result>(folder: string, command: string, args?: unknown): Promise<Result> {
  const answer = await ask<Result>(folder, command, args)
  if (answer === undefined) throw new CommandProblem('Atoll ended before it answered; try again.')
  return answer
}

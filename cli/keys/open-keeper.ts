// Finds whoever keeps the secrets of a data folder: the Atoll that runs on it, else this process, on the database itself.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createKernel } from '@atoll/kernel/create-kernel'
import { appliedMigrations } from '@atoll/kernel/db/applied-migrations'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { CommandProblem } from '../command-problem.ts'
import type { AtollConfig } from '../config.ts'
import { ask } from '../control/ask.ts'
import { createKeeper } from './keeper.ts'
import type { KeptKey, KeyKeeper, MadeKey } from './key.ts'

export async function withKeeper<Result>(
  config: AtollConfig,
  work: (keeper: KeyKeeper) => Promise<Result>,
): Promise<Result> {
  const running = await ask(config.data, 'status')
  if (running !== undefined) return work(remoteKeeper(config.data))
  if (config.database.url === undefined && !existsSync(join(config.data, 'atoll.db'))) {
    throw new CommandProblem(`there are no keys in ${config.data} yet: ./atoll up makes the first ones.`)
  }
  process.umask(0o077)
  const kernel = await createKernel({ config, log: createLog({ level: 'error' }), migrations: [] })
  try {
    return await work(await localKeeper(kernel, config))
  } finally {
    await kernel.close()
  }
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

// The cluster put together: users, modules, databases and their upgrades behind one HTTP service.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import type { HttpService } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ClusterCallers } from './callers.ts'
import type { ClusterConfig } from './config.ts'
import { type CoreParts, clusterService, openCore } from './core.ts'
import { findEngines } from './redis/engines.ts'
import { findShardUser } from './redis/shard-user.ts'
import { bdbRoutes, commandRoutes, shardRoutes } from './resources/bdbs/routes.ts'
import { Databases } from './resources/bdbs/service.ts'
import { databaseUpgradeRoutes } from './upgrade/database-routes.ts'
import { moduleUpgradeRoutes } from './upgrade/module-routes.ts'
import { UpgradeRunner } from './upgrade/upgrade-runner.ts'
import { Upgrades } from './upgrade/upgrades.ts'

export interface Cluster {
  service: HttpService<ClusterCallers>
  databases: Databases
  /** Resolves to the reason why something cannot be kept, or to undefined. */
  ready(): Promise<string | undefined>
  /** Databases go on; upgrades go on with the next start. */
  close(): Promise<void>
}

/** Finds databases again that still run, and goes on with upgrades that were cut off. */
export async function createCluster(
  kernel: Kernel,
  config: ClusterConfig,
  options: Pick<CoreParts, 'passwordCost'> & { certificate?: { cert: string; key: string } | undefined } = {},
): Promise<Cluster> {
  const { db, clock, ids, log } = kernel
  const folder = join(kernel.folder, 'cluster')
  const backups = join(folder, 'upgrades')
  await mkdir(backups, { recursive: true, mode: 0o700 })
  const engines = await findEngines(config)
  const programs = engines.map(({ program }) => program)
  const { user, problem } = await findShardUser({ wanted: config.user, programs, folder })
  if (problem !== undefined) log.warn({}, problem)
  const core = await openCore({
    ...{ kernel, config, passwordCost: options.passwordCost },
    engines: () => engines,
    shardCount: () => databases.shardCount,
  })
  const { modules, actions, events } = core
  const tell = (type: string, object: string, message: string): void => {
    events
      .add(undefined, { severity: 'WARNING', type, originator: 'cluster', object, message })
      .catch((error: unknown) => {
        log.warn({ err: error, type, object }, message)
      })
  }
  const databases: Databases = new Databases({
    ...{ db, clock, ids, log, folder, config, engines, user, modules, tell },
    certificate: async () => options.certificate ?? (await selfSignedCertificate(kernel.folder)),
  })
  modules.usedBy((uid) => databases.usersOf(uid))
  const runner = new UpgradeRunner({ actions, clock, log, folder: backups, hold: (uid) => databases.hold(uid) })
  const upgrades = new Upgrades({ db, clock, databases, modules, actions, runner, release: config.release })
  await databases.load()
  await runner.resume()
  databases.watch()
  const routes = [
    ...core.routes,
    ...moduleUpgradeRoutes(upgrades),
    ...databaseUpgradeRoutes(upgrades),
    ...bdbRoutes(databases),
    ...commandRoutes(databases),
    ...shardRoutes(databases),
  ]
  const close = async (): Promise<void> => {
    await runner.stop()
    await databases.close()
  }
  const ready = () => databases.whyNotReady()
  return { service: clusterService(core, routes, config.release), databases, ready, close }
}

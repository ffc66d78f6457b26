// Databases over real HTTP, with real servers.
import { join } from 'node:path'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { listen } from '@atoll/kernel/http/listen'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import { silentLog } from '@atoll/testkit/silent-log'
import { ClusterConfig } from '../config.ts'
import { clusterService, openCore } from '../core.ts'
import { ensureFirstAdmin } from '../identity/first-admin.ts'
import { clusterMigrations } from '../migrations.ts'
import { findEngines } from '../redis/engines.ts'
import { findShardUser } from '../redis/shard-user.ts'
import { bdbRoutes, shardRoutes } from '../resources/bdbs/routes.ts'
import { Databases } from '../resources/bdbs/service.ts'
import { Caller } from './caller.ts'

/** Nothing here is about guessing it. */
const passwordCost = { N: 2, r: 8, p: 1 }
const admin = 'admin@cluster.test:first-admin-password'

export type DatabasesServer = Awaited<ReturnType<typeof startDatabases>>

export async function startDatabases(target: DatabaseTarget, folder: string, settings: object = {}) {
  const database = { poolSize: 4, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
  const kernel = await createKernel({
    config: { data: folder, database, blobs: {} },
    log: silentLog,
    migrations: clusterMigrations,
  })
  await ensureFirstAdmin(kernel, admin, passwordCost)
  const config = ClusterConfig.parse(settings)
  const core = await openCore({ kernel, config, passwordCost })
  const told: string[] = []
  const engines = await findEngines(config)
  const clusterFolder = join(folder, 'cluster')
  const programs = engines.map(({ program }) => program)
  const { user } = await findShardUser({ wanted: config.user, programs, folder: clusterFolder })
  const databases = new Databases({
    ...kernel,
    ...{ folder: clusterFolder, config, engines, user },
    modules: core.modules,
    certificate: () => selfSignedCertificate(folder),
    tell: (type, _object, message) => told.push(`${type}: ${message}`),
  })
  core.modules.usedBy((uid) => databases.usersOf(uid))
  await databases.load()
  databases.watch()
  await kernel.start()
  const routes = [...core.routes, ...bdbRoutes(databases), ...shardRoutes(databases)]
  const listener = await listen(clusterService(core, routes, config.release), {
    address: { host: '127.0.0.1', port: 0 },
    ...{ blobs: kernel.blobs, ids: kernel.ids, clock: kernel.clock, log: silentLog },
    checkResponses: true,
    health: { ready: async () => undefined },
  })
  const close = async (): Promise<void> => {
    await listener.close(1000)
    await databases.close()
    await kernel.close()
  }
  const [email = '', password = ''] = admin.split(':')
  return { url: listener.url, databases, admin: Caller.basic(listener.url, email, password), told, close, kernel, core }
}

// Starts the cluster manager.
import { createCluster } from '@atoll/cluster/cluster'
import { ensureFirstAdmin, type FirstAdmin } from '@atoll/cluster/identity/first-admin'
import { forConsole } from '@atoll/cluster/identity/for-console'
import { listen } from '@atoll/kernel/http/listen'
import type { Listener } from '@atoll/kernel/http/options'
import { requireClusterPrograms } from '../programs/cluster.ts'
import { homeOf } from './home.ts'
import { listenForConsole } from './listen-for-console.ts'
import { listenOptions, type Parts } from './parts.ts'
import { portOf } from './ports.ts'
import { tlsOf } from './tls.ts'

export async function startCluster(parts: Parts): Promise<{ listener: Listener; admin: FirstAdmin }> {
  const { kernel, config, closing } = parts
  requireClusterPrograms(Object.values(config.cluster.programs))
  const admin = await ensureFirstAdmin(kernel, config.adopt.clusterAdmin)
  const { tls } = await tlsOf(config)
  const cluster = await createCluster(kernel, config.cluster, { certificate: tls })
  closing.push(() => cluster.close())
  const listener: Listener = await listen(cluster.service, {
    address: { host: config.host, port: portOf(config, 'cluster') },
    ...(tls && { tls }),
    ...listenOptions(parts, 'cluster', () => cluster.ready()),
    home: homeOf(parts, 'cluster', () => listener.url),
  })
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  await listenForConsole(parts, 'cluster', forConsole(cluster.service))
  return { listener, admin }
}

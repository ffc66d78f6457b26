// The whole cluster on a real socket, with real servers behind it.
import { mkdtemp, rm } from 'node:fs/promises'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { freePort } from '@atoll/testkit/free-port'
import { createClient } from '@redis/client'
import { type Cluster, createCluster } from '../cluster.ts'
import { ClusterConfig } from '../config.ts'
import { ensureFirstAdmin } from '../identity/first-admin.ts'
import { clusterMigrations } from '../migrations.ts'
import { Caller } from './caller.ts'

const adminEmail = 'admin@cluster.test'
const adminPassword = 'first-admin-password'

export interface WholeCluster {
  admin: Caller
  cluster: Cluster
  data: string
  /** What the cluster has logged as a warning or worse. */
  logged: string[]
  /** Databases too. */
  stop(options?: { keepsData?: boolean }): Promise<void>
}

export interface WholeClusterOptions {
  /** Of one that was stopped. */
  data?: string
  release?: string
  /** Whom shards run as. */
  user?: string
}

/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parentFolder = '/tmp'

export async function startWholeCluster({ data: given, ...asked }: WholeClusterOptions = {}): Promise<WholeCluster> {
  const data = given ?? (await mkdtemp(`${parentFolder}/ac-`))
  const logged: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void logged.push(line) } })
  const kernel = await createKernel({
    config: { data, database: { poolSize: 4 }, blobs: {} },
    log,
    migrations: clusterMigrations,
  })
  await ensureFirstAdmin(kernel, `${adminEmail}:${adminPassword}`)
  const from = await freePort()
  const cluster = await createCluster(kernel, ClusterConfig.parse({ endpointPorts: { from, to: from + 50 }, ...asked }))
  await kernel.start()
  const listener = await listen(cluster.service, {
    address: { host: '127.0.0.1', port: 0 },
    ...{ blobs: kernel.blobs, ids: kernel.ids, clock: kernel.clock, log },
    checkResponses: true,
    health: { ready: async () => (await kernel.ready()) ?? cluster.ready() },
  })
  const stop = async ({ keepsData = false } = {}) => {
    await listener.close(1000)
    await cluster.close()
    await cluster.databases.stopAll()
    await kernel.close()
    if (!keepsData) await rm(data, { recursive: true, force: true })
  }
  return { admin: Caller.basic(listener.url, adminEmail, adminPassword), cluster, data, logged, stop }
}

export async function connectTo(port: number) {
  const client = createClient({ url: `redis://127.0.0.1:${port}` })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

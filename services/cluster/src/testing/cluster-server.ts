// A cluster on a real socket, on SQLite and on PostgreSQL, and its callers.
import { type Clock, systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { listen } from '@atoll/kernel/http/listen'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { describeBothTargets, describeSqlite, type NewTarget } from '@atoll/testkit/both-targets'
import { dataDir } from '@atoll/testkit/temp-dir'
import { kernelWith } from '@atoll/testkit/template'
import { afterEach } from 'vitest'
import { ClusterConfig } from '../config.ts'
import { type ClusterCore, clusterService, openCore } from '../core.ts'
import { ensureFirstAdmin } from '../identity/first-admin.ts'
import type { Role } from '../identity/schema.ts'
import { clusterMigrations } from '../migrations.ts'
import { Caller } from './caller.ts'

export const adminEmail = 'admin@cluster.test'
export const adminPassword = 'first-admin-password'
export const userPassword = 'password-of-a-user'
/** Tests log in often. */
const passwordCost = { N: 2 ** 10, r: 8, p: 1 }

export interface ClusterServer {
  url: string
  folder: string
  target: DatabaseTarget
  kernel: Kernel
  core: ClusterCore
  admin: Caller
  /** Without credentials. */
  nobody: Caller
  /** A new user of this role. */
  user(role: Role): Promise<Caller>
  /** All that was logged so far. */
  logged(): string
  close(): Promise<void>
}

export interface StartOptions {
  clock?: Clock
  /** On the database and the folder of this one, which was closed. */
  after?: ClusterServer
}

export type StartCluster = (options?: StartOptions) => Promise<ClusterServer>

export function describeCluster(name: string, tests: (start: StartCluster) => void): void {
  describeBothTargets(name, (newTarget) => tests(starter(newTarget)))
}

/** For rules and shapes: the stores beneath are tried on both databases elsewhere. */
export function describeClusterOnSqlite(name: string, tests: (start: StartCluster) => void): void {
  describeSqlite(name, (newTarget) => tests(starter(newTarget)))
}

function starter(newTarget: NewTarget): StartCluster {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  return async (options = {}) => {
    const server = await startCluster(newTarget, options)
    closing.push(server.close)
    return server
  }
}

async function startCluster(
  newTarget: NewTarget,
  { clock = systemClock, after }: StartOptions,
): Promise<ClusterServer> {
  const target = after?.target ?? (await newTarget(kernelWith(clusterMigrations)))
  const folder = after?.folder ?? (target.kind === 'sqlite' ? target.folder : await dataDir())
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  const database = { poolSize: 4, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
  const config = { data: folder, database, blobs: {} }
  const kernel = await createKernel({ config, log, migrations: clusterMigrations, clock })
  await ensureFirstAdmin(kernel, `${adminEmail}:${adminPassword}`, passwordCost)
  const settings = ClusterConfig.parse({})
  const core = await openCore({ kernel, config: settings, passwordCost })
  await kernel.start()
  const listener = await listen(clusterService(core, core.routes, settings.release), {
    address: { host: '127.0.0.1', port: 0 },
    ...{ blobs: kernel.blobs, ids: kernel.ids, clock, log },
    checkResponses: true,
    health: { ready: async () => undefined },
  })
  const { url } = listener
  const admin = Caller.basic(url, adminEmail, adminPassword)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await listener.close(1_000)
    await kernel.close()
  }
  const user = (role: Role) => addUser(admin, role)
  return {
    ...{ url, folder, target, kernel, core, admin, user, close },
    nobody: new Caller(url),
    logged: () => lines.join(''),
  }
}

async function addUser(admin: Caller, role: Role): Promise<Caller> {
  const email = `${role}-${crypto.randomUUID()}@cluster.test`
  const { status, body } = await admin.call('POST', '/v1/users', { email, password: userPassword, role })
  if (status !== 200) throw new Error(`The user was refused: ${JSON.stringify(body)}`)
  return Caller.basic(admin.url, email, userPassword, body.uid)
}

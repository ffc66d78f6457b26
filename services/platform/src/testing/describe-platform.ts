// Starts a real platform on a real socket, on SQLite and on PostgreSQL, and speaks to it.
import { type Clock, systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import type { Runtime } from '@atoll/models/runtime'
import type { Runtimes } from '@atoll/models/runtimes'
import { sharePython } from '@atoll/sandbox/pyodide/testing/share-python'
import {
  describeBothTargets,
  describePostgres,
  describeSqlite,
  describeSqliteOrBoth,
  type NewTarget,
  postgresTarget,
} from '@atoll/testkit/both-targets'
import { dataDir } from '@atoll/testkit/temp-dir'
import { kernelWith } from '@atoll/testkit/template'
import { afterEach } from 'vitest'
import type { z } from 'zod'
import { PlatformConfig } from '../config.ts'
import type { Neighbours } from '../console/operation.ts'
import { ensureFirstIdentity } from '../identity/first-start.ts'
import { platformMigrations } from '../migrations/migrations.ts'
import { createPlatform } from '../platform.ts'
import type { ServerFacts } from '../resources/organization/server/service.ts'
import { sharedDocuments } from './shared-documents.ts'
import { TestPlatform } from './test-platform.ts'

/** Usage that a test records lies years back. */
const forever = { usageEventDays: 36_500, usageMinuteDays: 36_500 }

export type { TestPlatform } from './test-platform.ts'

export interface StartOptions {
  config?: z.input<typeof PlatformConfig>
  clock?: Clock
  tls?: 'self-signed'
  /** By name, in place of those of the configuration: for what real models do not do at will, such as failing. */
  runtimes?: Record<string, Runtime>
  /** What whoever starts the server knows of it. */
  server?: ServerFacts
  /** On the database of this one: another node of it, or the same after it was closed. */
  after?: TestPlatform
  /** Answers requests and leaves the jobs to other nodes. */
  withoutJobs?: boolean
  /** Other services for the console. */
  neighbours?: Neighbours
}

export type StartPlatform = (options?: StartOptions) => Promise<TestPlatform>

export function describePlatform(name: string, tests: (start: StartPlatform) => void): void {
  describeBothTargets(name, (newTarget) => testOn(newTarget, tests))
}

/** For what runs do and jobs work off: the crashes of both databases are tried by tests of their own. */
export function describePlatformOnSqliteOrBoth(name: string, tests: (start: StartPlatform) => void): void {
  describeSqliteOrBoth(name, (newTarget) => testOn(newTarget, tests))
}

/** For rules, shapes and clients: the stores beneath are tried on both databases by the tests of their resources. */
export function describePlatformOnSqlite(name: string, tests: (start: StartPlatform) => void): void {
  describeSqlite(name, (newTarget) => testOn(newTarget, tests))
}

/** Where several nodes can share a database. */
export function describeNodes(name: string, tests: (start: StartPlatform) => void): void {
  describePostgres(`${name} (PostgreSQL)`, () => testOn(postgresTarget, tests))
}

function testOn(newTarget: NewTarget, tests: (start: StartPlatform) => void): void {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  tests((options = {}) => startPlatform(newTarget, options, closing))
}

async function startPlatform(
  newTarget: NewTarget,
  options: StartOptions,
  closing: (() => Promise<void>)[],
): Promise<TestPlatform> {
  const target = options.after?.target ?? (await newTarget(kernelWith(platformMigrations)))
  const own: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of own.splice(0).reverse()) await end()
  }
  closing.push(close)
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  const data = target.kind === 'sqlite' ? target.folder : await dataDir()
  if (options.after === undefined || target.kind !== 'sqlite') sharePython(data)
  const database = { poolSize: 4, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
  const kernel = await createKernel({
    config: { data, database, blobs: {} },
    log,
    migrations: platformMigrations,
    clock: options.clock ?? systemClock,
  })
  own.push(() => kernel.close())
  const keys = options.after ?? (await ensureFirstIdentity(kernel))
  const config = PlatformConfig.parse({ retention: forever, ...options.config })
  const platform = createPlatform(kernel, config, {
    runtimes: givenRuntimes(options.runtimes),
    server: options.server,
    documents: options.config?.vectorStores ? undefined : await sharedDocuments(),
    ...(options.neighbours === undefined ? {} : { neighbours: options.neighbours }),
  })
  own.push(() => platform.close())
  if (options.withoutJobs !== true) await kernel.start()
  const listener = await listen(platform.service, {
    address: { host: '127.0.0.1', port: 0 },
    ...(options.tls ? { tls: await selfSignedCertificate(data) } : {}),
    ...httpParts(kernel),
    checkResponses: true,
    forwarding: platform.console.forwarding,
    health: { ready: async () => undefined },
  })
  own.push(() => listener.close(1000))
  const { apiKey = '', adminKey = '' } = keys
  const caller = await platform.identity.authenticate({ headers: { authorization: `Bearer ${apiKey}` } }, 'project')
  return new TestPlatform({ url: listener.url, apiKey, adminKey, caller, kernel, platform, lines, target, close })
}

function givenRuntimes(runtimes: Record<string, Runtime> | undefined): Runtimes | undefined {
  if (runtimes === undefined) return undefined
  return {
    get: async (name) => runtimes[name],
    modelFile: async () => undefined,
    loads: () => [],
    describe: async () => [],
    check: async () => [],
    async close() {
      for (const runtime of Object.values(runtimes)) await runtime.close()
    },
  }
}

const httpParts = ({ blobs, ids, clock, log }: Kernel) => ({ blobs, ids, clock, log })

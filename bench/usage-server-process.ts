// A platform for the benchmark of usage: fills its database with a month of calls the way calls do, then answers.
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { PlatformConfig } from '@atoll/platform/config'
import { ensureFirstIdentity } from '@atoll/platform/identity/first-start'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { createPlatform } from '@atoll/platform/platform'
import { silentLog } from '@atoll/testkit/silent-log'
import { callAt, type Month } from './usage-month.ts'

const [folder = '', text = ''] = process.argv.slice(2)
const month = JSON.parse(text) as Month
/** As many as one file of the journal holds. */
const flushEvery = 5_000

const kernel = await createKernel({
  config: { data: folder, database: { poolSize: 1 }, blobs: {} },
  log: silentLog,
  migrations: platformMigrations,
})
const { adminKey } = await ensureFirstIdentity(kernel)
const config = PlatformConfig.parse({})
const runtimes = {
  get: async () => undefined,
  modelFile: async () => undefined,
  loads: () => [],
  describe: async () => [],
  check: async () => [],
  close: async () => {},
}
const platform = createPlatform(kernel, config, { runtimes })
const { usage } = platform.inference
const { id: organizationId } = await kernel.db.queries
  .selectFrom('organizations')
  .select('id')
  .executeTakeFirstOrThrow()

const cpu = process.cpuUsage()
const began = performance.now()
for (let index = 0; index < month.events; index++) {
  usage.record(callAt(month, index, organizationId))
  if (index % flushEvery === flushEvery - 1) await usage.flush()
}
await usage.flush()
const used = process.cpuUsage(cpu)
const filled = { seconds: (performance.now() - began) / 1000, cpuSeconds: (used.user + used.system) / 1e6 }

const { blobs, ids, clock, log } = kernel
const listener = await listen(platform.service, {
  address: { host: '127.0.0.1', port: 0 },
  ...{ blobs, ids, clock, log },
  health: { ready: async () => undefined },
})
process.send?.({ url: listener.url, adminKey, filled })

// Run by the crash test of deliveries and killed by it: a gateway whose runs have one effect each, in the commit of their end.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { silentLog } from '@atoll/testkit/silent-log'
import { AgentsConfig, ChannelsConfig, HooksConfig } from '../config.ts'
import { addEvent } from '../deliveries/delivery-events.ts'
import { createHooks } from '../hooks.ts'
import { hooksMigrations } from '../migrations.ts'
import type { AgentRuntime } from '../ports.ts'

const [, , folder, token, url] = process.argv
if (!folder || !token) throw new Error('usage: crash-child.ts <folder> <token> [<postgres url>]')

const kernel = await createKernel({
  config: { data: folder, database: { poolSize: 4, ...(url ? { url } : {}) }, blobs: {} },
  log: silentLog,
  migrations: hooksMigrations,
})

const runtime: AgentRuntime = {
  async addEvents(tx, events) {
    for (const { deliveryId = '' } of events) await addEvent(tx, deliveryId, kernel.clock.now(), 'effect', {})
  },
  check() {},
  async run(delivery) {
    await pause(Math.random() * 10)
    if (Math.random() < 0.1) throw new Error('by chance')
    await kernel.db.transaction(async (tx) => {
      await addEvent(tx, delivery.id, kernel.clock.now(), 'effect', {})
      await delivery.finish(tx, { state: 'succeeded' })
    })
  },
  async start() {},
  async stop() {},
}

const queue = { maxAttempts: 100, backoffSeconds: 0.01, maxBackoffSeconds: 0.05, leaseSeconds: 1 }
const hooks = await createHooks({
  kernel,
  config: {
    hooks: HooksConfig.parse({ token, adminToken: `${token}-admin`, queue }),
    agents: AgentsConfig.parse({}),
    channels: ChannelsConfig.parse({}),
  },
  platform: { url: 'http://127.0.0.1:9', apiKey: 'no-key' },
  runtime,
})
await kernel.start()
const listener = await listen(hooks.service, {
  address: { host: '127.0.0.1', port: 0 },
  ...{ blobs: kernel.blobs, ids: kernel.ids, clock: kernel.clock, log: silentLog },
  health: { ready: async () => undefined },
})
await hooks.start()
writeSync(1, `${listener.url}\n`)
for (let isIdle = false; !isIdle; ) {
  await pause(50)
  const { queued, running } = await hooks.desk.counts()
  isIdle = queued + running === 0
}
writeSync(1, 'idle\n')

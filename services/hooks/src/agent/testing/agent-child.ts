// For a test to kill: an agent that is woken again and again, and says which events were committed.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { createKernel } from '@atoll/kernel/create-kernel'
import { silentLog } from '@atoll/testkit/silent-log'
import { ChannelsConfig } from '../../channels/config.ts'
import { createOutbox } from '../../channels/outbox.ts'
import { hooksMigrations } from '../../migrations.ts'
import { Agent } from '../agent.ts'
import { AgentsConfig } from '../config.ts'
import type { AgentChild } from './killed-agent.ts'

const { data, url, platform, clockAheadMs, texts }: AgentChild = JSON.parse(process.argv[2] ?? '')

const kernel = await createKernel({
  config: { data, database: { poolSize: 4, ...(url === undefined ? {} : { url }) }, blobs: {} },
  log: silentLog,
  migrations: hooksMigrations,
  clock: { now: () => Date.now() + clockAheadMs },
})
const outbox = createOutbox(kernel, ChannelsConfig.parse({}))
const config = AgentsConfig.parse({ defaults: { heartbeat: { every: '0m' }, workspace: data } })
const agent = new Agent({ kernel, config, platform, outbox })
await kernel.start()
await agent.start()
const wake = { mode: 'now', trust: 'external', source: 'wake' } as const
for (const text of texts) {
  await kernel.db.transaction((tx) => agent.addEvents(tx, [{ text, ...wake }]))
  writeSync(1, `${text}\n`)
}

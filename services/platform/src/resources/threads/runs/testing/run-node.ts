// A whole platform in a process of its own, for tests to kill. Prints where it listens.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { listen } from '@atoll/kernel/http/listen'
import type { Runtime } from '@atoll/models/runtime'
import { silentLog } from '@atoll/testkit/silent-log'
import { PlatformConfig } from '../../../../config.ts'
import { ensureFirstIdentity } from '../../../../identity/first-start.ts'
import { platformMigrations } from '../../../../migrations/migrations.ts'
import { createPlatform } from '../../../../platform.ts'
import { ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import { WordEmbeddings } from '../../../vector-stores/testing/word-embeddings.ts'
import { answerOf } from './run-script.ts'

const target = JSON.parse(process.env.ATOLL_TEST_TARGET ?? '') as DatabaseTarget
const [data = ''] = process.argv.slice(2)

const models: Record<string, Runtime> = {
  ...new ScriptedChatModel(answerOf).runtimes,
  ...new WordEmbeddings().runtimes,
}

const database = { poolSize: 10, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
const kernel = await createKernel({
  config: { data, database, blobs: {} },
  log: silentLog,
  migrations: platformMigrations,
})
const keys = await ensureFirstIdentity(kernel)
const runtimes = {
  get: async (name: string) => models[name],
  modelFile: async () => undefined,
  loads: () => [],
  describe: async () => [],
  check: async () => [],
  close: async () => undefined,
}
const platform = createPlatform(kernel, PlatformConfig.parse({}), { runtimes })
await kernel.start()
const { blobs, ids, clock, log } = kernel
const listener = await listen(platform.service, {
  address: { host: '127.0.0.1', port: 0 },
  ...{ blobs, ids, clock, log },
  health: { ready: async () => undefined },
})
writeSync(1, `${JSON.stringify({ url: listener.url, ...keys })}\n`)

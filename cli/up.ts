// Starts everything, says where it is, and ends it properly.
import { mkdirSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { settleMemorySoon } from '@atoll/kernel/telemetry/settle-memory'
import { startAtoll } from './compose.ts'
import { type AtollConfig, loadAtollConfig } from './config.ts'
import { crashed, startFailure } from './start-failure.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { welcome } from './welcome.ts'

export async function up({ config: file, ...flags }: Record<string, string | undefined>): Promise<void> {
  process.on('uncaughtException', crashed)
  let config: AtollConfig | undefined
  try {
    config = await loadAtollConfig({ file, env: process.env, flags })
    mkdirSync(config.data, { recursive: true, mode: 0o700 })
    const running = await startAtoll(config)
    stopOnSignals(config.shutdown.graceSeconds, () => running.close())
    process.stdout.write(welcome(running, config))
  } catch (error) {
    process.stderr.write(startFailure(error, config))
    process.exit(1)
  }
  flushCompileCache()
  settleMemorySoon()
}

// Starts everything, says where it is, and ends it properly.
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { settleMemorySoon } from '@atoll/kernel/telemetry/settle-memory'
import { type AtollConfig, loadAtollConfig } from '../config.ts'
import { serveControl } from '../control/serve.ts'
import { chosenServices, type ServiceFlags } from './chosen-services.ts'
import { type Running, startAtoll } from './compose.ts'
import { controlCommands } from './control-commands.ts'
import { prepareDataFolder, umaskOf } from './data-folder.ts'
import { isJournal } from './journal.ts'
import { keepShort, logFileIn } from './log-file.ts'
import { type Reloading, reload } from './reload.ts'
import { crashed, startFailure } from './start-failure.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { welcome } from './welcome.ts'

interface UpFlags extends ServiceFlags {
  [setting: string]: string | boolean | undefined
  config?: string
  /** Start another process, and end. */
  detach?: boolean
  /** This is that other process. */
  detached?: boolean
}

export async function up({ config: file, with: added, all, detach, detached, ...flags }: UpFlags): Promise<void> {
  process.on('uncaughtException', crashed)
  const load = async () => {
    const loaded = await loadAtollConfig({ file, env: process.env, flags: textFlags(flags) })
    // The same object: it is known where its settings came from.
    return Object.assign(loaded, { services: chosenServices(loaded.services, { with: added, all }) })
  }
  let config: AtollConfig | undefined
  try {
    config = await load()
    process.umask(umaskOf(config.services))
    if (detach) return await (await import('./detach.ts')).detach(config)
    const notes = prepareFolders(config)
    const running = await startAtoll(config)
    running.notes.unshift(...notes)
    const logFile = detached ? logFileIn(config.data) : undefined
    const stopServing = await serveControl(config.data, controlCommands({ running, config, logFile }))
    hearSignals(running, config, { load, stopServing })
    await greet(running, config, logFile)
    running.told()
  } catch (error) {
    process.stderr.write(startFailure(error, config))
    process.exit(1)
  }
  flushCompileCache()
  settleMemorySoon()
}

async function greet(running: Running, config: AtollConfig, logFile: string | undefined): Promise<void> {
  if (logFile !== undefined) {
    const { sayToStarter } = await import('./detach.ts')
    sayToStarter(welcome(running, config))
    keepShort(logFile)
    return
  }
  // A journal is read by others, and kept for long.
  const shown = isJournal() ? { ...running, firstKeys: {} } : running
  process.stdout.write(welcome(shown, config))
}

const textFlags = (flags: Record<string, string | boolean | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(flags).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

function prepareFolders({ data, blobs }: AtollConfig): string[] {
  const notes = prepareDataFolder(data)
  return blobs.folder === undefined ? notes : [...notes, ...prepareDataFolder(blobs.folder, 'blobs.folder')]
}

interface Ends {
  load: Reloading['load']
  stopServing: () => void
}

function hearSignals(running: Running, config: AtollConfig, { load, stopServing }: Ends): void {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const { reload: takeOn } = running
  const reloading: Reloading = { config, load, takeOn: (next) => takeOn?.(next), say }
  let last = Promise.resolve()
  stopOnSignals({
    graceSeconds: () => reloading.config.shutdown.graceSeconds + reloading.config.shutdown.drainSeconds,
    close: async () => {
      running.drain()
      await pause(reloading.config.shutdown.drainSeconds * 1000)
      await running.close().finally(stopServing)
    },
    // One after the other: the last configuration written is the one that holds.
    ...(takeOn !== undefined && { reload: () => (last = last.then(() => reload(reloading))) }),
  })
}

// Starts everything, says where it is, and ends it properly.
import { flushCompileCache } from 'node:module'
import { settleMemorySoon } from '@atoll/kernel/telemetry/settle-memory'
import { type AtollConfig, loadAtollConfig } from '../config.ts'
import { chosenServices, type ServiceFlags } from './chosen-services.ts'
import { type Running, startAtoll } from './compose.ts'
import { prepareDataFolder, umaskOf } from './data-folder.ts'
import { type Reloading, reload } from './reload.ts'
import { crashed, startFailure } from './start-failure.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { welcome } from './welcome.ts'

interface UpFlags extends ServiceFlags {
  [setting: string]: string | boolean | undefined
  config?: string
}

export async function up({ config: file, with: added, all, ...flags }: UpFlags): Promise<void> {
  process.on('uncaughtException', crashed)
  const load = async () => {
    const loaded = await loadAtollConfig({ file, env: process.env, flags: textFlags(flags) })
    return { ...loaded, services: chosenServices(loaded.services, { with: added, all }) }
  }
  let config: AtollConfig | undefined
  try {
    config = await load()
    process.umask(umaskOf(config.services))
    const notes = prepareFolders(config)
    const running = await startAtoll(config)
    running.notes.unshift(...notes)
    hearSignals(running, config, load)
    process.stdout.write(welcome(running, config))
  } catch (error) {
    process.stderr.write(startFailure(error, config))
    process.exit(1)
  }
  flushCompileCache()
  settleMemorySoon()
}

const textFlags = (flags: Record<string, string | boolean | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(flags).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

function prepareFolders({ data, blobs }: AtollConfig): string[] {
  const notes = prepareDataFolder(data)
  return blobs.folder === undefined ? notes : [...notes, ...prepareDataFolder(blobs.folder, 'blobs.folder')]
}

function hearSignals(running: Running, config: AtollConfig, load: Reloading['load']): void {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const { reload: takeOn } = running
  const reloading: Reloading = { config, load, takeOn: (next) => takeOn?.(next), say }
  let last = Promise.resolve()
  stopOnSignals({
    graceSeconds: () => reloading.config.shutdown.graceSeconds,
    close: () => running.close(),
    // One after the other: the last configuration written is the one that holds.
    ...(takeOn !== undefined && { reload: () => (last = last.then(() => reload(reloading))) }),
  })
}

// What a running Atoll answers to commands of its own machine.
import type { Platform } from '@atoll/platform/platform'
import type { AtollConfig } from '../config.ts'
import type { Commands } from '../control/serve.ts'
import { databasePlace } from '../database-place.ts'
import type { NewKey } from '../keys/key.ts'
import { version } from '../version.ts'
import type { Running } from './compose.ts'
import { isJournal } from './journal.ts'

export interface Status {
  pid: number
  version: string
  /** Milliseconds since 1970. */
  started_at: number
  services: { name: string; url: string; problem?: string }[]
  /** Services that the machine cannot run, and why. */
  absent: Record<string, string>
  /** Where its PostgreSQL is. Absent: SQLite in the data folder. */
  database?: string
  /** Where its lines go: a file, or the system's journal. Absent: to the terminal. */
  log?: { file: string } | { unit: string }
}

export interface Ran {
  running: Running
  config: AtollConfig
  /** Of `up --detach`. */
  logFile: string | undefined
}

export function controlCommands({ running, config, logFile }: Ran): Commands {
  const started_at = Date.now()
  let isStopping = false
  return {
    async status(): Promise<Status> {
      const problems = Object.fromEntries((await running.check()).map(({ service, reason }) => [service, reason]))
      const services = running.services.map((service) => {
        const { [service.name]: problem } = problems
        return problem === undefined ? service : { ...service, problem }
      })
      const isAbsent = ([name]: [string, string]) => !services.some((service) => service.name === name)
      return {
        ...{ pid: process.pid, version: version(), started_at, services },
        absent: Object.fromEntries(Object.entries(problems).filter(isAbsent)),
        ...(config.database.url === undefined ? {} : { database: databasePlace(config.database.url) }),
        ...logOf(logFile),
      }
    },
    /** Never answered: whoever asked sees the connection end with the process. */
    stop() {
      if (!isStopping) process.kill(process.pid, 'SIGTERM')
      isStopping = true
      return new Promise(() => undefined)
    },
    'vector-stores.upgrade': async () => platformOf(running).vectorStores.upgrades.begin(),
    'vector-stores.upgrades': async () => platformOf(running).vectorStores.upgrades.underWay(),
    'models.files': async (id) => platformOf(running).fineTuning.filesOf(String(id)),
    'keys.list': async () => (await running.keys()).list(),
    'keys.create': async (asked) => (await running.keys()).create(asked as NewKey),
    'keys.replace': async (id) => (await running.keys()).replace(String(id)),
    'console.link': () => running.consoleLink(),
    'keys.remove': async (id) => (await running.keys()).remove(String(id)),
  }
}

function platformOf({ platform }: Running): Platform {
  if (platform === undefined) throw new Error('the platform does not run here: start it with ./atoll up')
  return platform
}

function logOf(logFile: string | undefined): Pick<Status, 'log'> {
  if (logFile !== undefined) return { log: { file: logFile } }
  return isJournal() ? { log: { unit: 'atoll' } } : {}
}

// Databases from the command line: list, create, delete.

import type { BdbObject as DatabaseObject } from '@atoll/cluster/resources/bdbs/schema'
import type { ModuleObject } from '@atoll/cluster/resources/modules/schema'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { CommandProblem, telling } from '../command-problem.ts'
import { choosePassword, isAgreed, isAnybodyThere } from '../questions.ts'
import { show } from '../table.ts'
import { type ClusterServer, serverFrom } from './cluster-server.ts'
import { memoryBytes, memoryText } from './memory-size.ts'
import { chooseModule, moduleName } from './module-choice.ts'

export interface ServerFlags {
  url?: string
}

interface CreateFlags extends ServerFlags {
  module: string[]
  replication?: boolean
  persistence?: string
  memory?: string
  port?: string
  engine?: string
  password?: boolean
}

export const listDatabases = (flags: ServerFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    show(await server.get<DatabaseObject[]>('/v1/bdbs'), {
      ...(flags.json ? { json: true } : {}),
      titles: ['UID', 'NAME', 'STATUS', 'ENDPOINT', 'ENGINE', 'MODULES', 'REPLICATION', 'PERSISTENCE', 'MEMORY'],
      row: (database) => rowOf(database, server),
      none: 'There are no databases yet. To make one: ./atoll cluster create NAME',
    })
  })

function rowOf(database: DatabaseObject, server: ClusterServer): string[] {
  const { uid, name, status, engine, redis_version, replication, data_persistence, memory_size } = database
  const { host, port } = endpointOf(database, server)
  const modules = database.module_list.map((module) => `${module.module_name}@${module.semantic_version}`).join(' ')
  return [
    ...[String(uid), name, status, `${host}:${port}`, `${engine} ${redis_version}`, modules || '-'],
    ...[replication ? 'yes' : 'no', data_persistence, memoryText(memory_size)],
  ]
}

export const createDatabase = (name: string, flags: CreateFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const { persistence, memory, port, engine } = flags
    const body = {
      name,
      replication: flags.replication ?? false,
      ...(persistence === undefined ? {} : { data_persistence: persistence }),
      ...(memory === undefined ? {} : { memory_size: memoryBytes(memory) }),
      ...(port === undefined ? {} : { port: wholeNumber('--port', port) }),
      ...(engine === undefined ? {} : { engine }),
      ...(flags.module.length === 0 ? {} : { module_list: await moduleList(server, flags.module) }),
    }
    const chosen = flags.password ? await choosePassword(`of ${name}'s clients`) : undefined
    const made = await server.send<DatabaseObject>('/v1/bdbs', {
      method: 'POST',
      body: { ...body, ...(chosen && { authentication_redis_pass: chosen.password }) },
    })
    const { host, port: open } = endpointOf(made, server)
    console.log(`Database ${made.name} (uid ${made.uid}) is ready at ${host}:${open}`)
    if (chosen?.isMadeUp) console.log(`Its password, shown only this once: ${chosen.password}`)
    console.log(`To connect: redis-cli -h ${host} -p ${open}${chosen === undefined ? '' : ' --askpass'}`)
  })

export const deleteDatabase = (which: string, flags: ServerFlags & { yes?: boolean }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const { uid, name } = await findDatabase(server, which)
    if (!flags.yes) {
      if (!isAnybodyThere())
        throw new CommandProblem('nobody is here to be asked: say --yes to delete it with its data.')
      if (!(await isAgreed(`Delete database ${name} (uid ${uid}) with all its data? [y/N] `))) {
        throw new CommandProblem('nothing was changed.')
      }
    }
    await server.send(`/v1/bdbs/${uid}`, { method: 'DELETE' })
    console.log(`Database ${name} (uid ${uid}) is deleted.`)
  })

/** Names begin with a letter, so that numbers are always uids. */
export async function findDatabase(server: ClusterServer, which: string): Promise<DatabaseObject> {
  const all = await server.get<DatabaseObject[]>('/v1/bdbs')
  const found = all.find(({ uid, name }) => String(uid) === which || name === which)
  if (found !== undefined) return found
  const names = all.map(({ name }) => name)
  const nearest = nearestName(which, names)
  const hint = nearest === undefined ? `there is ${names.join(', ') || 'none'}` : `did you mean ${nearest}?`
  throw new CommandProblem(`there is no database ${which}; ${hint}`)
}

async function moduleList(server: ClusterServer, wanted: readonly string[]): Promise<{ module_id: string }[]> {
  const names = wanted.map(moduleName)
  const modules = await server.get<ModuleObject[]>('/v1/modules')
  return names.map((name) => ({ module_id: chooseModule(modules, name).uid }))
}

/** Nobody connects to "every address": the one that reaches the cluster reaches its databases too. */
function endpointOf({ endpoints }: DatabaseObject, server: ClusterServer): { host: string; port: number } {
  const [{ addr: [host = ''] = [], port } = { addr: [], port: 0 }] = endpoints
  return { host: /^(0\.0\.0\.0|::)?$/.test(host) ? new URL(server.url).hostname : host, port }
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CommandProblem(`${flag} ${text} is not a number.`)
}

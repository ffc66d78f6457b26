// Upgrades of a database's modules from the command line.
import { randomUUID } from 'node:crypto'
import type { BdbObject as DatabaseObject } from '@atoll/cluster/resources/bdbs/schema'
import type { ModuleObject } from '@atoll/cluster/resources/modules/schema'
import type { UpgradeAnswer } from '@atoll/cluster/upgrade/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { stepWords } from './action-progress.ts'
import { type ClusterServer, serverFrom } from './cluster-server.ts'
import { findDatabase, type ServerFlags } from './databases.ts'
import { follow, stopSignal } from './follow.ts'
import { chooseModule, moduleName } from './module-choice.ts'

interface UpgradeFlags extends ServerFlags {
  args?: string
  preserveRoles?: boolean
  mayDiscardData?: boolean
  dryRun?: boolean
}

interface WantedModule {
  current_module: string
  new_module: string
  new_module_args?: string
}

export const upgrade = (which: string, names: string[], flags: UpgradeFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    if (flags.args !== undefined && names.length > 1) {
      throw new CommandProblem('--args are the arguments of one module: name one, or upgrade one after the other.')
    }
    const database = await findDatabase(server, which)
    const modules = await wantedModules(server, database, names, flags.args)
    if (modules.length === 0) {
      console.log(`Nothing to do: ${database.name} has the newest there is of ${names.join(', ')}.`)
      return
    }
    const path = `/v1/bdbs/${database.uid}/upgrade`
    const { preserveRoles = false, mayDiscardData = false } = flags
    const body = { modules, preserve_roles: preserveRoles, may_discard_data: mayDiscardData }
    if (flags.dryRun) tellPlan(await server.send(path, { method: 'POST', body: { ...body, dry_run: true } }))
    else await run(server, path, body, flags)
  })

async function run(server: ClusterServer, path: string, body: object, flags: ServerFlags): Promise<void> {
  const begun = Date.now()
  const signal = stopSignal() // before it begins: an upgrade that nobody can name would run
  const headers = { 'idempotency-key': randomUUID() }
  const started = { method: 'POST', body, headers: { ...headers, prefer: 'respond-async' } } as const
  const { name, uid, modules, action_uid = '' } = await server.send<UpgradeAnswer>(path, started)
  process.stderr.write(`Upgrading ${name} (uid ${uid}): ${changes(modules)}\n`)
  process.stderr.write(`Running as action ${action_uid}; Ctrl-C leaves it running\n`)
  const ended = await follow(server, action_uid, { url: flags.url, signal })
  if (ended === undefined) return
  if (ended.status === 'failed') throw new CommandProblem(`the upgrade has failed: ${ended.error ?? 'without a word.'}`)
  console.log(`Upgraded ${name} in ${((Date.now() - begun) / 1000).toFixed(1)} s: ${changes(modules)}`)
  // The same key gets the answer to the same upgrade, now that it has ended.
  const done = await server.send<UpgradeAnswer>(path, { method: 'POST', body, headers }).catch(() => undefined)
  if (done?.discarded_data) console.log('The data could not be carried over: the database has begun empty.')
  if (done?.longest_pause_ms !== undefined) {
    console.log(`The longest that clients had to wait: ${Math.ceil(done.longest_pause_ms)} ms`)
  }
}

/** Those that change. A module that is named without a version, and is the newest already, does not. */
async function wantedModules(
  server: ClusterServer,
  database: DatabaseObject,
  texts: readonly string[],
  args: string | undefined,
): Promise<WantedModule[]> {
  const names = texts.map(moduleName)
  const modules = await server.get<ModuleObject[]>('/v1/modules')
  return names.flatMap((wanted) => {
    const current = database.module_list.find(({ module_name }) => module_name === wanted.name)
    if (current === undefined) {
      const has = database.module_list.map((module) => `${module.module_name}@${module.semantic_version}`).join(', ')
      throw new CommandProblem(`database ${database.name} has no module ${wanted.name}; it has ${has || 'none'}.`)
    }
    const chosen = chooseModule(modules, wanted)
    const isSame = chosen.uid === current.module_id && wanted.version === undefined && args === undefined
    const given = args === undefined ? {} : { new_module_args: args }
    return isSame ? [] : [{ current_module: current.module_id, new_module: chosen.uid, ...given }]
  })
}

function tellPlan({ name, uid, modules, plan }: UpgradeAnswer): void {
  const { steps = [], through = '', discards_data = false } = plan ?? {}
  console.log(`Would upgrade ${name} (uid ${uid}) through ${through}: ${changes(modules)}`)
  for (const [index, step] of steps.entries()) {
    console.log(`  ${index + 1}. ${step.padEnd(8)}  ${stepWords[step] ?? ''}`.trimEnd())
  }
  const fate = discards_data ? 'Data is discarded if it cannot be carried over.' : 'No data would be discarded.'
  console.log(`${fate} Nothing was changed.`)
}

const changes = (modules: UpgradeAnswer['modules']): string =>
  modules
    .map((module) => `${module.module_name} ${module.previous_semantic_version} -> ${module.semantic_version}`)
    .join(', ')

// What an upgrade would do, or everything that speaks against it.
import { splitArguments } from './module-arguments.ts'
import { compareVersions } from './versions.ts'

export interface WantedModule {
  /** Either its uid … */
  current_module?: string | undefined
  /** … or its name, with or without the version it has now. */
  module_name?: string | undefined
  current_semantic_version?: string | undefined
  new_module: string
  new_module_args?: string | string[] | undefined
}

/** A module as a database has it. */
export interface LoadedModule {
  module_id: string
  module_name: string
  semantic_version: string
  module_args: string[]
}

/** What of a database decides. */
export interface PlannedDatabase {
  uid: number
  module_list: LoadedModule[]
  engineVersion: string
  needs: { capability: string; because: string }[]
}

/** What of a module in the cluster decides. */
export interface AvailableModule {
  uid: string
  module_name: string
  semantic_version: string
  version: number
  min_redis_version: string
  min_redis_pack_version: string
  capabilities: string[]
}

export interface Problem {
  status: 400 | 406
  error_code?: string
  message: string
}

export interface Replacement {
  from: LoadedModule
  to: LoadedModule
}

export interface Plan {
  replacements: Replacement[]
  /** Of the whole database afterwards. */
  modules: LoadedModule[]
}

interface Surroundings {
  release: string
  find(uid: string): AvailableModule | undefined
  checkFile(uid: string): Promise<string | undefined>
}

export async function planUpgrade(
  database: PlannedDatabase,
  wanted: readonly WantedModule[],
  surroundings: Surroundings,
): Promise<Plan | { problems: Problem[] }> {
  const problems: Problem[] = []
  const replacements: Replacement[] = []
  for (const [index, module] of wanted.entries()) {
    const place = `modules[${index}]`
    const from = currentOf(database, module, place)
    if ('message' in from) {
      problems.push(from)
      continue
    }
    if (replacements.some((other) => other.from === from)) {
      problems.push({ status: 400, message: `${place}: ${from.module_name} is named twice.` })
      continue
    }
    const to = surroundings.find(module.new_module)
    if (to === undefined) {
      problems.push(missing(module.new_module, place))
      continue
    }
    problems.push(...problemsOf(database, from, to, surroundings.release))
    const damage = await surroundings.checkFile(to.uid)
    if (damage !== undefined) problems.push({ status: 406, error_code: 'invalid_module', message: damage })
    replacements.push({ from, to: loaded(to, argumentsOf(module.new_module_args) ?? from.module_args) })
  }
  if (problems.length > 0) return { problems }
  const after = database.module_list.map((module) => replacements.find(({ from }) => from === module)?.to ?? module)
  return { replacements, modules: after }
}

const argumentsOf = (given: string | string[] | undefined): string[] | undefined =>
  typeof given === 'string' ? splitArguments(given) : given

const loaded = ({ uid, module_name, semantic_version }: AvailableModule, module_args: string[]): LoadedModule => ({
  ...{ module_id: uid, module_name, semantic_version, module_args },
})

function currentOf({ uid, module_list }: PlannedDatabase, wanted: WantedModule, place: string): LoadedModule | Problem {
  const { current_module, module_name, current_semantic_version } = wanted
  if (current_module === undefined && module_name === undefined) {
    const message = `${place}: say which module is to be upgraded, by current_module (its uid) or by module_name.`
    return { status: 400, message }
  }
  const found = module_list.find(
    (module) =>
      (current_module === undefined || module.module_id === current_module) &&
      (module_name === undefined || module.module_name === module_name) &&
      (current_semantic_version === undefined || module.semantic_version === current_semantic_version),
  )
  const named = [current_module, module_name, current_semantic_version].filter((part) => part !== undefined).join(' ')
  const has = module_list.map((each) => `${each.module_name} ${each.semantic_version} (${each.module_id})`).join(', ')
  const message = `${place}: database ${uid} has no module ${named}; it has ${has || 'none'}.`
  return found ?? { status: 400, error_code: 'missing_module', message }
}

const missing = (uid: string, place: string): Problem => ({
  status: 406,
  error_code: 'missing_module',
  message: `${place}: there is no module ${uid} in the cluster; upload it first (POST /v2/modules).`,
})

function problemsOf(database: PlannedDatabase, from: LoadedModule, to: AvailableModule, release: string): Problem[] {
  const name = `${to.module_name} ${to.semantic_version}`
  const problems: Problem[] = []
  const refuse = (error_code: string, message: string) => problems.push({ status: 406, error_code, message })
  if (to.module_name !== from.module_name) {
    problems.push({ status: 400, message: `Module ${to.uid} is ${to.module_name}, not ${from.module_name}.` })
    return problems
  }
  if (compareVersions(to.semantic_version, from.semantic_version) < 0) {
    refuse('module_downgrade_unsupported', `${name} is older than ${from.semantic_version}, which the database has.`)
  }
  if (compareVersions(to.min_redis_version, database.engineVersion) > 0) {
    const message = `${name} needs engine version ${to.min_redis_version}; the database runs ${database.engineVersion}.`
    refuse('store_incompatible_version', message)
  }
  if (compareVersions(to.min_redis_pack_version, release) > 0) {
    const message = `${name} needs cluster software ${to.min_redis_pack_version}; this is ${release}.`
    refuse('store_pack_incompatible_version', message)
  }
  const lacking = database.needs.filter(({ capability }) => !to.capabilities.includes(capability))
  for (const { capability, because } of lacking) {
    refuse('unsupported_module_capabilities', `${name} lacks capability ${capability}, which ${because} needs.`)
  }
  return problems
}

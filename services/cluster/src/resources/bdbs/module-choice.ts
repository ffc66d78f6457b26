// The modules that a new database is asked to have.
import * as errors from '../../errors.ts'
import { splitArguments } from '../../upgrade/module-arguments.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import type { FittingModule } from './module-fit.ts'
import type { WantedModule } from './schema.ts'

export interface KnownModule extends FittingModule {
  /** As the module itself tells it, one number. */
  version: number
  command_line_args: string
  file: string
}

/** What databases ask of the cluster's modules. */
export interface ModuleSource {
  get(uid: string): Promise<KnownModule | undefined>
  list(): Promise<KnownModule[]>
  /** It cannot be deleted meanwhile. */
  hold(uid: string): Disposable
}

/** With the arguments asked for, or else those of the package. */
export async function chooseModules(source: ModuleSource, wanted: readonly WantedModule[]): Promise<LoadedModule[]> {
  const found: LoadedModule[] = []
  for (const [index, each] of wanted.entries()) {
    const place = `module_list[${index}]`
    const { uid, module_name, semantic_version, command_line_args } = await find(source, each, place)
    if (found.some((other) => other.module_name === module_name)) {
      throw errors.invalidParameter(`${place}: ${module_name} is named twice.`)
    }
    const args = each.module_args ?? command_line_args
    const module_args = typeof args === 'string' ? splitArguments(args) : args
    found.push({ module_id: uid, module_name, semantic_version, module_args })
  }
  return found
}

async function find(source: ModuleSource, wanted: WantedModule, place: string): Promise<KnownModule> {
  const { module_id, module_name, semantic_version } = wanted
  if (module_id === undefined && module_name === undefined) {
    throw errors.invalidParameter(`${place}: name the module by module_id, or by module_name and semantic_version.`)
  }
  const all = await source.list()
  const [found, ...others] = all.filter(
    (module) =>
      (module_id === undefined || module.uid === module_id) &&
      (module_name === undefined || module.module_name === module_name) &&
      (semantic_version === undefined || module.semantic_version === semantic_version),
  )
  const named = [module_id, module_name, semantic_version].filter((part) => part !== undefined).join(' ')
  const known = all.map((module) => `${module.module_name} ${module.semantic_version} (${module.uid})`).join(', ')
  if (found === undefined) {
    const message = `${place}: there is no module ${named} in the cluster; there is ${known || 'none'}.`
    throw errors.moduleUnfit('missing_module', message)
  }
  if (others.length > 0) throw errors.invalidParameter(`${place}: more than one module is ${named}: ${known}.`)
  return found
}

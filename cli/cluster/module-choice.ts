// NAME or NAME@VERSION among the modules of a cluster; without a version, the newest.

import type { ModuleObject } from '@atoll/cluster/resources/modules/schema'
import { CommandProblem } from '../command-problem.ts'

const { compare } = new Intl.Collator('en', { numeric: true })

interface ModuleName {
  name: string
  version: string | undefined
}

export function moduleName(text: string): ModuleName {
  const [, name, version] = /^([^@\s]+)(?:@([^@\s]+))?$/.exec(text) ?? []
  if (name === undefined) throw new CommandProblem(`${text} is no module; name it as NAME or NAME@VERSION.`)
  return { name, version }
}

export function chooseModule(modules: readonly ModuleObject[], { name, version }: ModuleName): ModuleObject {
  const named = modules.filter((module) => module.module_name === name)
  const [newest] = named
    .filter((module) => version === undefined || module.semantic_version === version)
    .sort((one, other) => compare(other.semantic_version, one.semantic_version))
  if (newest !== undefined) return newest
  const others = named.length > 0 ? named : modules
  const known = others.map((module) => `${module.module_name}@${module.semantic_version}`).join(', ')
  throw new CommandProblem(
    `the cluster has no module ${name}${version === undefined ? '' : `@${version}`}; it has ${known || 'none'}. To add one: ./atoll cluster upload FILE.zip`,
  )
}

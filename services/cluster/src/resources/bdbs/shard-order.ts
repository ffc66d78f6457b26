// Which of two sets of modules is the older: an older one cannot read what a newer one has written.
import type { LoadedModule } from '../../upgrade/plan.ts'
import { compareVersions } from '../../upgrade/versions.ts'

export const isOlder = (modules: readonly LoadedModule[], than: readonly LoadedModule[]): boolean =>
  than.some((other) => {
    const own = modules.find(({ module_name }) => module_name === other.module_name)
    return own === undefined || compareVersions(own.semantic_version, other.semantic_version) < 0
  })

// Whether a module can serve a database: the same four reasons against it as for an upgrade.
import * as errors from '../../errors.ts'
import { neededCapabilities } from '../../upgrade/capabilities.ts'
import { compareVersions } from '../../upgrade/versions.ts'
import type { BdbSettings } from './bdb.ts'

/** What of a module decides. */
export interface FittingModule {
  uid: string
  module_name: string
  semantic_version: string
  min_redis_version: string
  min_redis_pack_version: string
  capabilities: readonly string[]
}

interface Surroundings {
  settings: BdbSettings
  engineVersion: string
  release: string
}

/** Throws when it cannot. */
export function checkModule(module: FittingModule, { settings, engineVersion, release }: Surroundings): void {
  const name = `${module.module_name} ${module.semantic_version}`
  if (compareVersions(module.min_redis_version, engineVersion) > 0) {
    const message = `${name} needs engine version ${module.min_redis_version}; the database runs ${engineVersion}.`
    throw errors.moduleUnfit('store_incompatible_version', message)
  }
  if (compareVersions(module.min_redis_pack_version, release) > 0) {
    const message = `${name} needs cluster software ${module.min_redis_pack_version}; this is ${release}.`
    throw errors.moduleUnfit('store_pack_incompatible_version', message)
  }
  for (const { capability, because } of neededCapabilities(settings)) {
    if (module.capabilities.includes(capability)) continue
    const message = `${name} lacks capability ${capability}, which ${because} needs.`
    throw errors.moduleUnfit('unsupported_module_capabilities', message)
  }
}

// A module in the cluster, as kept and as shown.
import { architectureOf } from './package/elf.ts'
import type { ModuleJson } from './package/module-json.ts'
import type { ModuleObject } from './schema.ts'
import type { ModuleRow } from './store.ts'

export interface ModuleRecord extends ModuleObject {
  /** Absolute path of the shared object. */
  file: string
}

export function moduleRecord(row: ModuleRow, file: string): ModuleRecord {
  const { dependencies: _none, ...json } = JSON.parse(row.manifest) as ModuleJson
  return {
    ...json,
    uid: row.uid,
    version: json.version ?? versionNumber(json.semantic_version),
    sha256: json.sha256.toLowerCase(),
    architecture: architectureOf(json.architecture) ?? json.architecture,
    display_name: json.display_name || json.module_name,
    module_file: row.module_file,
    dependencies: {},
    is_bundled: false,
    created_time: new Date(row.created_at).toISOString(),
    file,
  }
}

/** Paths of this machine are nobody's business. */
export const moduleObject = ({ file: _, ...shown }: ModuleRecord): ModuleObject => shown

/** As modules tell theirs: 10203 for 1.2.3. */
function versionNumber(semanticVersion: string): number {
  const [major = 0, minor = 0, patch = 0] = semanticVersion.split('.').map(Number)
  return major * 10_000 + minor * 100 + patch
}

// A mapping in the shape that it is shown in.
import type { Mapping } from '../../mappings/mapping.ts'
import type { ShownMapping } from './schema.ts'

export const shownMapping = (mapping: Mapping, isPaused: boolean): ShownMapping => {
  const { id, isPreset, match = {}, action, transform, signature, allowUnsafeExternalContent = false } = mapping
  return {
    ...{ id, isPreset, match, action, isPaused, allowUnsafeExternalContent },
    transform: transform ? { module: transform.module, export: transform.exportName, sha256: transform.digest } : null,
    signature: signature?.scheme ?? null,
  }
}

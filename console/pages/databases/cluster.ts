// The cluster's objects in a few words.
import type { DatabaseObject, ModuleObject } from '../../api/types.ts'

export const placeOf = ({ endpoints }: DatabaseObject): string => {
  const [endpoint] = endpoints
  return endpoint === undefined ? '' : `${endpoint.addr[0] ?? '127.0.0.1'}:${endpoint.port}`
}

export const moduleText = ({ module_name, semantic_version }: Pick<ModuleObject, 'module_name' | 'semantic_version'>) =>
  `${module_name} ${semantic_version}`

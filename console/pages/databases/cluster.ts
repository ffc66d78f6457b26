// What the pages read of the cluster's objects.

interface LoadedModule {
  module_id: string
  module_name: string
  semantic_version: string
}

export interface DatabaseObject {
  uid: number
  name: string
  status: string
  engine: string
  redis_version: string
  module_list: LoadedModule[]
  replication: boolean
  data_persistence: string
  memory_size: number
  endpoints: { addr: string[]; port: number }[]
}

export interface ModuleObject {
  uid: string
  module_name: string
  display_name?: string
  semantic_version: string
  min_redis_version: string
}

export interface ShardObject {
  uid: string
  role: 'master' | 'slave'
  detailed_status: string
  redis_info: Record<string, string>
}

export interface ActionObject {
  action_uid: string
  status: 'pending' | 'active' | 'completed' | 'failed'
  progress: number
  state?: string
  error?: string
}

export interface UpgradeAnswer {
  name: string
  modules: (LoadedModule & { previous_semantic_version: string })[]
  action_uid?: string
  longest_pause_ms?: number
  discarded_data?: boolean
  plan?: { steps: string[]; through: string; discards_data: boolean }
}

export const placeOf = ({ endpoints }: DatabaseObject): string => {
  const [endpoint] = endpoints
  return endpoint === undefined ? '' : `${endpoint.addr[0] ?? '127.0.0.1'}:${endpoint.port}`
}

export const moduleText = ({ module_name, semantic_version }: Pick<LoadedModule, 'module_name' | 'semantic_version'>) =>
  `${module_name} ${semantic_version}`

// What the commands read of the cluster's objects.

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
  semantic_version: string
  min_redis_version: string
  architecture: string
  created_time: string
}

export interface UserObject {
  uid: number
  email: string
  name: string
  role: string
  status: string
}

interface PendingOperation {
  op_name: string
  status_description: string
}

type ActionStatus = 'pending' | 'active' | 'completed' | 'failed'

/** Of /v1/actions/{uid}. */
export interface ActionObject {
  action_uid: string
  status: ActionStatus
  progress: number
  state?: string
  error?: string
  /** By shard. */
  pending_ops: Record<string, PendingOperation>
}

/** Of /v2/actions. */
export interface ListedAction {
  action_uid: string
  status: ActionStatus
  progress: number
  creation_time: number
  additional_info: { description: string; state?: string; error?: string }
}

/** Of an upgrade that is tried, begun or done. */
export interface UpgradeAnswer {
  uid: number
  name: string
  modules: (LoadedModule & { previous_semantic_version: string })[]
  action_uid?: string
  longest_pause_ms?: number
  discarded_data?: boolean
  plan?: { steps: string[]; through: string; discards_data: boolean }
}

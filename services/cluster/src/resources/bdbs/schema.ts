import { z } from 'zod'

export const aofPolicies = ['appendfsync-every-sec', 'appendfsync-always'] as const
export const evictionPolicies = [
  'noeviction',
  'allkeys-lru',
  'allkeys-lfu',
  'allkeys-random',
  'volatile-lru',
  'volatile-lfu',
  'volatile-random',
  'volatile-ttl',
] as const

const mebibyte = 1024 * 1024
const smallestMemoryBytes = mebibyte
const maxModules = 16
const maxArguments = 64

const Name = z
  .string()
  .max(63)
  .regex(/^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$/, 'letters, digits and hyphens; a letter first, no hyphen last')

/** 0: no limit. */
const MemorySize = z
  .int()
  .min(0)
  .refine((bytes) => bytes === 0 || bytes >= smallestMemoryBytes, `0 for no limit, or at least ${smallestMemoryBytes}`)

const SnapshotPolicy = z
  .array(z.strictObject({ secs: z.int().min(1).max(86_400), writes: z.int().min(1).max(1_000_000_000) }))
  .min(1)
  .max(8)

/** NUL and line ends would change the meaning of what the server is told. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const plain = /^[^\u0000-\u001f\u007f]*$/
const ModuleArgument = z.string().min(1).max(1024).regex(plain, 'no control characters')
/** As a list, or as it would stand in the configuration of a server. */
export const ModuleArguments = z.union([
  z.string().max(8192).regex(plain, 'no control characters'),
  z.array(ModuleArgument).max(maxArguments),
])

const WantedModule = z.strictObject({
  module_id: z.string().min(1).optional(),
  module_name: z.string().min(1).optional(),
  semantic_version: z.string().min(1).optional(),
  module_args: ModuleArguments.optional(),
})

const changeable = {
  name: Name.optional(),
  memory_size: MemorySize.optional(),
  replication: z.boolean().optional(),
  data_persistence: z.enum(['disabled', 'aof', 'snapshot']).optional(),
  aof_policy: z.enum(aofPolicies).optional(),
  snapshot_policy: SnapshotPolicy.optional(),
  eviction_policy: z.enum(evictionPolicies).optional(),
  /** Empty: clients need no password. */
  authentication_redis_pass: z.string().max(512).optional(),
}

export const CreateBdb = z.strictObject({
  ...changeable,
  name: Name,
  type: z.literal('redis').optional(),
  port: z.int().min(1024).max(65_535).optional(),
  shards_count: z.literal(1).optional(),
  sharding: z.literal(false).optional(),
  max_connections: z.int().min(0).max(100_000).optional(),
  tls_mode: z.enum(['enabled', 'disabled']).optional(),
  module_list: z.array(WantedModule).max(maxModules).optional(),
  engine: z.enum(['redis', 'valkey']).optional(),
  redis_version: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/)
    .optional(),
})
export type CreateBdb = z.output<typeof CreateBdb>
export type WantedModule = z.output<typeof WantedModule>

export const UpdateBdb = z.strictObject(changeable)
export type UpdateBdb = z.output<typeof UpdateBdb>

/** In the path. */
export const BdbParams = z.object({ uid: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })
export const ShardParams = z.object({ uid: z.string() })

const EndpointObject = z.object({
  uid: z.string(),
  addr: z.array(z.string()),
  addr_type: z.string(),
  dns_name: z.string(),
  port: z.int(),
})

export const LoadedModule = z.object({
  module_id: z.string(),
  module_name: z.string(),
  semantic_version: z.string(),
  module_args: z.string(),
})

export const BdbObject = z.object({
  uid: z.int(),
  name: z.string(),
  type: z.literal('redis'),
  status: z.string(),
  engine: z.enum(['redis', 'valkey']),
  redis_version: z.string(),
  version: z.string(),
  module_list: z.array(LoadedModule),
  replication: z.boolean(),
  data_persistence: z.string(),
  aof_policy: z.string(),
  snapshot_policy: z.array(z.object({ secs: z.int(), writes: z.int() })),
  shards_count: z.int(),
  sharding: z.literal(false),
  shard_list: z.array(z.int()),
  endpoints: z.array(EndpointObject),
  port: z.int(),
  memory_size: z.int(),
  eviction_policy: z.string(),
  max_connections: z.int(),
  tls_mode: z.enum(['enabled', 'disabled']),
  created_time: z.string(),
  last_changed_time: z.string(),
  background_op: z.array(
    z.object({
      status: z.string(),
      name: z.string().optional(),
      error: z.string().optional(),
      progress: z.number().optional(),
    }),
  ),
})
export type BdbObject = z.output<typeof BdbObject>

export const ShardObject = z.object({
  uid: z.string(),
  bdb_uid: z.int(),
  node_uid: z.string(),
  role: z.enum(['master', 'slave']),
  status: z.enum(['active', 'inactive']),
  detailed_status: z.string(),
  assigned_slots: z.string(),
  loading: z.object({ status: z.string() }),
  sync: z.object({ status: z.string() }),
  redis_info: z.record(z.string(), z.string()),
  report_timestamp: z.string(),
})
export type ShardObject = z.output<typeof ShardObject>

export const Endpoint = EndpointObject.extend({ bdb_uid: z.int(), node_uid: z.string(), clients: z.int() })
export type Endpoint = z.output<typeof Endpoint>

export type AofPolicy = (typeof aofPolicies)[number]
export type EvictionPolicy = (typeof evictionPolicies)[number]

const maxCommandParts = 1000
const maxPartLetters = 256 * 1024

export const BdbCommand = z.strictObject({
  command: z.string().min(1).max(64),
  args: z.array(z.string().max(maxPartLetters)).max(maxCommandParts).default([]),
})
export type BdbCommand = z.output<typeof BdbCommand>

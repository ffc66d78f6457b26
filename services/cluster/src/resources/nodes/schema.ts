import { z } from 'zod'

export const NodeObject = z.object({
  uid: z.int(),
  addr: z.string(),
  hostname: z.string(),
  architecture: z.string(),
  cores: z.int(),
  cpu_model: z.string(),
  /** Bytes. */
  total_memory: z.int(),
  free_memory: z.int(),
  os_name: z.string(),
  os_version: z.string(),
  software_version: z.string(),
  status: z.literal('active'),
  shard_count: z.int(),
  supported_database_versions: z.array(z.object({ db_type: z.string(), version: z.string() })),
  /** Of the machine, in seconds. */
  uptime: z.int(),
})
export type NodeObject = z.output<typeof NodeObject>

export const NodeParams = z.object({
  uid: z
    .string()
    .regex(/^\d{1,9}$/, 'expected the number of a node')
    .transform(Number),
})

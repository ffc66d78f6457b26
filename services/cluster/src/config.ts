// What can be set about the cluster service.
import { z } from 'zod'

const Port = z.int().min(1).max(65_535)

export const ClusterConfig = z.strictObject({
  /** Unless told: the platform's port and two. */
  port: Port.optional(),
  name: z.string().min(1).max(64).default('atoll.local'),
  /** What modules compare their min_redis_pack_version with. */
  release: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .default('7.8.2'),
  /** Where endpoints of databases listen. */
  host: z.string().min(1).default('127.0.0.1'),
  /** Ports of databases that ask for none. */
  endpointPorts: z.strictObject({ from: Port, to: Port }).prefault({ from: 12_000, to: 12_999 }),
  /** So long a shard may give no answer before it is ended, and another one takes over. */
  silenceSeconds: z.number().min(1).max(3600).default(5),
  /** Whom shards run as where Atoll is root: a name or a number. Unless told, a number of their own. */
  user: z.string().min(1).max(100).optional(),
  /** Paths of servers, where they are not found by their names. */
  programs: z.strictObject({ redis: z.string().min(1).optional(), valkey: z.string().min(1).optional() }).prefault({}),
})

export type ClusterConfig = z.infer<typeof ClusterConfig>

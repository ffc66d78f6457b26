// Machines of a swarm.
import { z } from 'zod'
import { GenericResource } from '../services/schema.ts'
import { ObjectVersion, TLSInfo } from '../swarm/schema.ts'

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const labels = z.record(z.string(), z.string())
const count = z.number().int().nonnegative()
const maxGeneric = 1_000

export const NodeSpec = z.object({
  Name: maybe(z.string()),
  Labels: maybe(labels),
  Role: maybe(z.string()),
  Availability: maybe(z.string()),
})

export const NodeId = z.object({ id: z.string() })

export const Node = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: z.object({
    Name: z.string().optional(),
    Labels: labels,
    Role: z.enum(['manager', 'worker']),
    Availability: z.enum(['active', 'pause', 'drain']),
  }),
  Description: z.object({
    Hostname: z.string(),
    Platform: z.object({ Architecture: z.string(), OS: z.string() }),
    Resources: z.object({
      NanoCPUs: count,
      MemoryBytes: count,
      GenericResources: z.array(GenericResource).max(maxGeneric).optional(),
    }),
    Engine: z.object({
      EngineVersion: z.string(),
      Labels: labels,
      Plugins: z.array(z.object({ Type: z.string(), Name: z.string() })),
    }),
    /** ENG-616 */
    TLSInfo,
  }),
  Status: z.object({
    State: z.enum(['unknown', 'down', 'ready', 'disconnected']),
    Message: z.string(),
    Addr: z.string(),
  }),
  ManagerStatus: z
    .object({ Leader: z.boolean(), Reachability: z.enum(['unknown', 'unreachable', 'reachable']), Addr: z.string() })
    .optional(),
})
export type Node = z.output<typeof Node>

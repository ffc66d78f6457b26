// How the cluster speaks to the process of an endpoint: lines of JSON over a socket only the owner may open.
import { z } from 'zod'

export const Target = z.union([
  z.strictObject({ path: z.string() }),
  z.strictObject({ host: z.string(), port: z.int() }),
])

export const ProxyConfig = z.strictObject({
  listen: z.strictObject({ host: z.string(), port: z.int() }),
  control: z.string(),
  target: Target,
  credentials: z.strictObject({ username: z.string(), password: z.string() }),
  maxClients: z.int().positive(),
  /** Clients have to speak TLS. */
  tls: z.strictObject({ cert: z.string(), key: z.string() }).optional(),
})

export const Order = z.discriminatedUnion('order', [
  z.strictObject({ order: z.literal('status') }),
  z.strictObject({
    order: z.literal('hand-over'),
    replica: Target,
    /** Where the replica takes replicas of its own. */
    replication: z.strictObject({ host: z.string(), port: z.int() }).optional(),
    deadlineMs: z.number().positive(),
  }),
  z.strictObject({ order: z.literal('redirect'), target: Target }),
  z.strictObject({ order: z.literal('stop') }),
])

export const Answer = z.union([
  z.strictObject({ ok: z.literal(true), result: z.unknown().optional() }),
  z.strictObject({ ok: z.literal(false), error: z.string() }),
])

export type ProxyConfig = z.infer<typeof ProxyConfig>
export type Order = z.infer<typeof Order>
export type Answer = z.infer<typeof Answer>

// Networks as requests describe them and as answers show them.
import { z } from 'zod'
import { EndpointSettings } from '../containers/schema.ts'

/** Absent and null are the same: clients written in Go send null for what is empty. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const texts = z.record(z.string(), z.string())

export const IpamConfig = z.object({
  Subnet: maybe(z.string()),
  IPRange: maybe(z.string()),
  Gateway: maybe(z.string()),
  AuxiliaryAddresses: maybe(texts),
  /** The spelling of clients of old. */
  AuxAddress: maybe(texts),
})

const maxIpamConfigs = 16

export const CreateNetwork = z.object({
  Name: maybe(z.string()),
  CheckDuplicate: maybe(z.boolean()),
  Driver: maybe(z.string()),
  Scope: maybe(z.string()),
  Internal: maybe(z.boolean()),
  Attachable: maybe(z.boolean()),
  Ingress: maybe(z.boolean()),
  ConfigOnly: maybe(z.boolean()),
  ConfigFrom: maybe(z.object({ Network: maybe(z.string()) })),
  IPAM: maybe(
    z.object({
      Driver: maybe(z.string()),
      Config: maybe(z.array(IpamConfig).max(maxIpamConfigs)),
      Options: maybe(texts),
    }),
  ),
  EnableIPv4: maybe(z.boolean()),
  EnableIPv6: maybe(z.boolean()),
  Options: maybe(texts),
  Labels: maybe(texts),
})
export type CreateNetwork = z.output<typeof CreateNetwork>

export const ConnectNetwork = z.object({ Container: maybe(z.string()), EndpointConfig: maybe(EndpointSettings) })
export type ConnectNetwork = z.output<typeof ConnectNetwork>

export const DisconnectNetwork = z.object({ Container: maybe(z.string()), Force: maybe(z.boolean()) })
export type DisconnectNetwork = z.output<typeof DisconnectNetwork>

export const NetworkContainer = z.object({
  Name: z.string(),
  EndpointID: z.string(),
  MacAddress: z.string(),
  IPv4Address: z.string(),
  IPv6Address: z.string(),
})

export const Network = z.object({
  Name: z.string(),
  Id: z.string(),
  Created: z.string(),
  Scope: z.string(),
  Driver: z.string(),
  EnableIPv4: z.boolean(),
  EnableIPv6: z.boolean(),
  IPAM: z.object({
    Driver: z.string(),
    Options: texts.nullable(),
    Config: z.array(
      z.object({
        Subnet: z.string().optional(),
        IPRange: z.string().optional(),
        Gateway: z.string().optional(),
        AuxiliaryAddresses: texts.optional(),
      }),
    ),
  }),
  Internal: z.boolean(),
  Attachable: z.boolean(),
  Ingress: z.boolean(),
  ConfigFrom: z.object({ Network: z.string() }),
  ConfigOnly: z.boolean(),
  Containers: z.record(z.string(), NetworkContainer),
  Options: texts,
  Labels: texts,
  /** Nodes that a network of a swarm is on. */
  Peers: z.array(z.object({ Name: z.string(), IP: z.string() })).optional(),
  /** When asked for in full: the services of a swarm on it, each with its tasks. */
  Services: z.record(z.string(), z.unknown()).optional(),
})
export type Network = z.output<typeof Network>

export const NetworkCreated = z.object({ Id: z.string(), Warning: z.string() })
export const NetworksPruned = z.object({ NetworksDeleted: z.array(z.string()) })

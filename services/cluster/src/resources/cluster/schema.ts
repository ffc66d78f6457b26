import { z } from 'zod'

export const ClusterObject = z.object({
  name: z.string(),
  software_version: z.string(),
  created_time: z.string(),
  endpoint_host: z.string(),
  nodes_count: z.int(),
  rack_aware: z.literal(false),
})
export type ClusterObject = z.output<typeof ClusterObject>

export const ModuleCapabilities = z.object({
  all_capabilities: z.array(z.object({ name: z.string(), desc: z.string() })),
})

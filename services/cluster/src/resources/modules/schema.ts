import { z } from 'zod'

export const ModuleObject = z.object({
  uid: z.string(),
  module_name: z.string(),
  display_name: z.string(),
  semantic_version: z.string(),
  version: z.int(),
  sha256: z.string(),
  module_file: z.string(),
  architecture: z.string(),
  os: z.string(),
  min_redis_version: z.string(),
  min_redis_pack_version: z.string(),
  compatible_redis_version: z.string().optional(),
  capabilities: z.array(z.string()),
  capability_name: z.string(),
  command_line_args: z.string(),
  config_command: z.string(),
  author: z.string(),
  description: z.string(),
  email: z.string(),
  homepage: z.string(),
  license: z.string(),
  bigstore_version_2_support: z.boolean(),
  crdb: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.never()),
  is_bundled: z.literal(false),
  created_time: z.string(),
})
export type ModuleObject = z.output<typeof ModuleObject>

export const ModuleParams = z.object({ uid: z.string() })

export const ActionUid = z.object({ action_uid: z.string() })

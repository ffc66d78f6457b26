import { z } from 'zod'
import { BdbObject, LoadedModule, ModuleArguments } from '../resources/bdbs/schema.ts'

/** Both spellings: by uid, or by name and version. */
export const WantedModule = z.strictObject({
  current_module: z.string().min(1).max(200).optional(),
  module_name: z.string().min(1).max(200).optional(),
  current_semantic_version: z.string().min(1).max(50).optional(),
  new_module: z.string().min(1).max(200),
  new_module_args: ModuleArguments.optional(),
})

const flags = {
  preserve_roles: z.boolean().default(false),
  may_discard_data: z.boolean().default(false),
  /** Says what would be done, and does nothing. */
  dry_run: z.boolean().default(false),
  /** So long the old version stays ready: until then the upgrade can be cancelled without losing a write. */
  soak_seconds: z.int().min(0).max(86_400).default(0),
}

export const UpgradeModules = z.strictObject({ modules: z.array(WantedModule).min(1).max(50), ...flags })

/** The successor may also leave the modules out: nothing is upgraded but what is named. */
export const UpgradeDatabase = z.strictObject({
  modules: z.array(WantedModule).max(50).default([]),
  /** Starts all shards anew, even where nothing else changes. */
  force_restart: z.boolean().default(false),
  ...flags,
})

export const BdbParams = z.object({ uid: z.coerce.number().int().min(1) })

/** Of an upgrade that is tried, begun or done: the database with the first of its upgraded modules. */
export const UpgradeAnswer = BdbObject.extend({
  module_id: z.string().optional(),
  module_name: z.string().optional(),
  semantic_version: z.string().optional(),
  modules: z.array(LoadedModule.extend({ module_args: z.array(z.string()), previous_semantic_version: z.string() })),
  dry_run: z.literal(true).optional(),
  plan: z.object({ steps: z.array(z.string()), through: z.string(), discards_data: z.boolean() }).optional(),
  action_uid: z.string().optional(),
  progress: z.number().optional(),
  longest_pause_ms: z.number().optional(),
  discarded_data: z.boolean().optional(),
})

export type UpgradeModules = z.output<typeof UpgradeModules>
export type UpgradeAnswer = z.output<typeof UpgradeAnswer>

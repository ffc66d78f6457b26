import { z } from 'zod'
import { PluginConfig } from '../../plugins/plugin-config.ts'
import { PluginSettings } from '../../plugins/plugin-settings.ts'

export const PluginName = z.object({ name: z.string() })

export const PluginObject = z.object({
  Id: z.string(),
  Name: z.string(),
  Enabled: z.boolean(),
  Settings: PluginSettings,
  PluginReference: z.string(),
  Config: PluginConfig,
})
export type PluginObject = z.output<typeof PluginObject>

export const PluginChanges = z.array(z.string().max(8_192)).max(1_000)

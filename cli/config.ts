// The configuration of the whole house: what all services share, and a section for each.
import { EngineConfig } from '@atoll/engine/config'
import { kernelConfig } from '@atoll/kernel/config/kernel-config'
import { type ConfigSources, loadConfig } from '@atoll/kernel/config/load-config'
import { PlatformConfig, platformSettings } from '@atoll/platform/config'

/** Containers need root and change the host's network: the engine runs when it is asked for. */
const atollConfig = kernelConfig(['platform', 'engine'], ['platform']).extend({
  platform: PlatformConfig.prefault({}),
  engine: EngineConfig.prefault({}),
})

export type AtollConfig = Awaited<ReturnType<typeof loadConfig<typeof atollConfig>>>

export const loadAtollConfig = (sources: Omit<ConfigSources, 'settings'>): Promise<AtollConfig> =>
  loadConfig(atollConfig, { ...sources, settings: platformSettings })

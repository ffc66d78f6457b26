// The configuration of the whole house: what all services share, and a section for each.
import { kernelConfig } from '@atoll/kernel/config/kernel-config'
import { type ConfigSources, loadConfig } from '@atoll/kernel/config/load-config'
import { PlatformConfig, platformSettings } from '@atoll/platform/config'

const atollConfig = kernelConfig(['platform']).extend({ platform: PlatformConfig.prefault({}) })

export type AtollConfig = Awaited<ReturnType<typeof loadConfig<typeof atollConfig>>>

export const loadAtollConfig = (sources: Omit<ConfigSources, 'settings'>): Promise<AtollConfig> =>
  loadConfig(atollConfig, { ...sources, settings: platformSettings })

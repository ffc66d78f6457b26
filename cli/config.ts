// The configuration of the whole house: what all services share, and a section for each.
import { ClusterConfig } from '@atoll/cluster/config'
import { EngineConfig } from '@atoll/engine/config'
import { AgentsConfig, ChannelsConfig, HooksConfig } from '@atoll/hooks/config'
import { describeConfig } from '@atoll/kernel/config/describe-config'
import { kernelConfig } from '@atoll/kernel/config/kernel-config'
import { type ConfigSources, loadConfig } from '@atoll/kernel/config/load-config'
import { PlatformConfig, platformSettings } from '@atoll/platform/config'

/** In the order they are started. */
export const serviceNames = ['platform', 'engine', 'hooks', 'cluster'] as const

/** Containers need root and change the host's network, databases need redis-server: these run when they are asked for. */
const atollConfig = kernelConfig(serviceNames, ['platform', 'hooks']).extend({
  platform: PlatformConfig.prefault({}),
  engine: EngineConfig.prefault({}),
  hooks: HooksConfig.prefault({}),
  agents: AgentsConfig.prefault({}),
  channels: ChannelsConfig.prefault({}),
  cluster: ClusterConfig.prefault({}),
})

export type AtollConfig = Awaited<ReturnType<typeof loadConfig<typeof atollConfig>>>

/** For people: every setting with its source, without secrets. */
export const describeAtollConfig = (config: AtollConfig) => describeConfig(atollConfig, config)

export const loadAtollConfig = (sources: Omit<ConfigSources, 'settings'>): Promise<AtollConfig> =>
  loadConfig(atollConfig, { ...sources, settings: platformSettings })

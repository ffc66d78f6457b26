// The configuration of the whole house: what all services share, and a section for each.
import { kernelConfig } from '@atoll/kernel/config/kernel-config'
import type { loadConfig } from '@atoll/kernel/config/load-config'
import { PlatformConfig } from '@atoll/platform/config'

export const atollConfig = kernelConfig(['platform']).extend({ platform: PlatformConfig.prefault({}) })

export type AtollConfig = Awaited<ReturnType<typeof loadConfig<typeof atollConfig>>>

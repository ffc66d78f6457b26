// What a caller is told when a container is created: what this host will give less of, or nothing.
import type { HostConfig } from '../../resources/containers/schema.ts'
import { chooseCapabilities } from './capabilities.ts'
import { deviceRequestWarnings } from './devices.ts'
import type { HostFacts } from './host.ts'
import { chooseOomScore, chooseRlimits } from './process-limits.ts'
import { dropMissing } from './resources.ts'
import { parseSecurityOptions } from './security-options.ts'
import { defaultShmBytes } from './spec-mounts.ts'

const ofWindows = ['CpuCount', 'CpuPercent', 'IOMaximumIOps', 'IOMaximumBandwidth'] as const

export function createWarnings(hostConfig: HostConfig, host: HostFacts): string[] {
  const shares = hostConfig.IpcMode === 'shareable' && hostConfig.ShmSize && hostConfig.ShmSize !== defaultShmBytes
  return [
    ...chooseCapabilities(hostConfig, host.capabilities).warnings,
    ...chooseRlimits(hostConfig, host).warnings,
    ...chooseOomScore(hostConfig, host).warnings,
    ...dropMissing(hostConfig, host.controls).warnings,
    ...parseSecurityOptions(hostConfig.SecurityOpt ?? []).warnings,
    ...deviceRequestWarnings(hostConfig, host),
    ...ofWindows
      .filter((field) => hostConfig[field])
      .map((field) => `${field} is for Windows containers only and has no effect.`),
    ...(hostConfig.Devices ?? [])
      .filter(({ PathOnHost }) => PathOnHost.includes('://'))
      .map(({ PathOnHost }) => `Device "${PathOnHost}" is of Windows: the container cannot start on this host.`),
    ...(hostConfig.StorageOpt?.size
      ? ["StorageOpt size has no effect: it needs a data folder on xfs with the 'pquota' mount option."]
      : []),
    // Only older callers still have it (ENG-120).
    ...(hostConfig.KernelMemory
      ? ['Limits of kernel memory are deprecated, and this kernel has none: no effect.']
      : []),
    ...(hostConfig.KernelMemoryTCP && hostConfig.Runtime === 'runc'
      ? ['The runtime runc applies no limit of TCP memory: KernelMemoryTCP has no effect. crun applies it.']
      : []),
    ...(shares
      ? ['ShmSize has no effect with IpcMode "shareable": memory that containers share has no limit of its own.']
      : []),
  ]
}

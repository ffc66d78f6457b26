// From a container's record to the configuration its runtime gets. Nothing is read here: what it depends on is given.
import { posix } from 'node:path'
import { invalidParameter, invalidParameters } from '../../errors.ts'
import { rootPropagation } from '../../mounts/propagation.ts'
import type { ContainerRecord, MountPoint } from '../../resources/containers/record.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { OciResources, OciSpec } from '../runtime.ts'
import { chooseDevices, type FoundDevices } from './devices.ts'
import type { HostFacts } from './host.ts'
import { chooseNamespaces, type JoinedPids, ownsPids, ownsUts } from './namespaces.ts'
import { buildProcess, hostnameOf } from './process.ts'
import { buildResources } from './resources.ts'
import { defaultProfile } from './seccomp-default.ts'
import { resolveProfile } from './seccomp-profile.ts'
import { parseSecurityOptions, type SecurityOptions } from './security-options.ts'
import { buildMounts, type EtcFiles, initInside } from './spec-mounts.ts'
import { chooseSysctls } from './sysctls.ts'
import { defaultMaskedPaths, defaultReadonlyPaths } from './system-paths.ts'
import type { IdentityFiles } from './users.ts'

export interface SpecInput {
  container: Pick<ContainerRecord, 'id' | 'config' | 'hostConfig' | 'path' | 'args'>
  /** As `Mounts.prepare` gave them. */
  mounts: readonly MountPoint[]
  host: HostFacts
  devices: FoundDevices
  identity: IdentityFiles
  joined: JoinedPids
  etc: EtcFiles
  /** Of a `shareable` container, or of the one whose IPC namespace it joins. */
  sharedMemory?: string
}

const defaultCgroupParent = '/atoll'

export function buildSpec(input: SpecInput): { spec: OciSpec; warnings: string[] } {
  const { container, host, devices } = input
  const { config, hostConfig } = container
  const security = parseSecurityOptions(hostConfig.SecurityOpt ?? [])
  if (security.problems.length > 0) throw invalidParameters(security.problems)
  const initPath = initOf(hostConfig, host)
  const args = [...(initPath === undefined ? [] : [initInside, '--']), container.path, ...container.args]
  const { process, warnings: aboutProcess } = buildProcess({ container, args, host, identity: input.identity })
  const { resources, warnings: aboutResources } = buildResources(hostConfig, host, devices.blocks)
  const { devices: nodes, rules } = chooseDevices(hostConfig, devices, host)
  const mounts = buildMounts({ hostConfig, mounts: input.mounts, etc: input.etc, host, ...shared(input, initPath) })
  const spec: OciSpec = {
    ociVersion: '1.0.2',
    process,
    root: { path: 'rootfs', readonly: hostConfig.ReadonlyRootfs ?? false },
    ...(ownsUts(hostConfig) ? { hostname: hostnameOf(container) } : {}),
    mounts,
    ...(hostConfig.Annotations ? { annotations: hostConfig.Annotations } : {}),
    linux: {
      namespaces: chooseNamespaces(hostConfig, input.joined, host.cgroupVersion),
      resources: { ...withoutFreeQuota(resources), devices: rules },
      cgroupsPath: cgroupsPath(container.id, hostConfig),
      sysctl: chooseSysctls(config, hostConfig, host),
      ...seccompPart(security.options, hostConfig, process.capabilities?.bounding ?? [], host),
      ...pathsPart(security.options, hostConfig),
      devices: nodes,
      ...rootPropagation(input.mounts),
    },
  }
  return { spec, warnings: [...security.warnings, ...aboutProcess, ...aboutResources] }
}

/** A new control group has no quota: there is none to take away. */
function withoutFreeQuota(resources: OciResources): OciResources {
  const { quota, ...cpu } = resources.cpu ?? {}
  return quota === undefined || quota > 0 ? resources : { ...resources, cpu }
}

const shared = ({ sharedMemory }: SpecInput, initPath: string | undefined) => ({
  ...(sharedMemory === undefined ? {} : { sharedMemory }),
  ...(initPath === undefined ? {} : { initPath }),
})

/** An init makes sense only as the first process. */
function initOf(hostConfig: HostConfig, { initPath }: HostFacts): string | undefined {
  if (!hostConfig.Init || !ownsPids(hostConfig)) return undefined
  if (initPath === undefined) {
    throw invalidParameter('Init was asked for, and the host has no static init program: install tini')
  }
  return initPath
}

export function cgroupsPath(id: string, { CgroupParent }: Pick<HostConfig, 'CgroupParent'>): string {
  const parent = posix.normalize(`/${CgroupParent || defaultCgroupParent}`)
  return posix.join(parent, id)
}

function seccompPart(
  { seccomp }: SecurityOptions,
  { Privileged }: HostConfig,
  capabilities: readonly string[],
  { architecture, kernel }: HostFacts,
): { seccomp?: object } {
  if (seccomp === 'unconfined' || (Privileged && seccomp === 'default')) return {}
  const profile = seccomp === 'default' ? defaultProfile : seccomp
  return { seccomp: resolveProfile(profile, { capabilities, architecture, kernel }) }
}

function pathsPart({ showsSystemPaths }: SecurityOptions, { Privileged, MaskedPaths, ReadonlyPaths }: HostConfig) {
  if (Privileged || showsSystemPaths) return { maskedPaths: [], readonlyPaths: [] }
  return {
    maskedPaths: MaskedPaths ?? [...defaultMaskedPaths],
    readonlyPaths: ReadonlyPaths ?? [...defaultReadonlyPaths],
  }
}

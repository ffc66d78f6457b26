// All that is wrong with what a container's process is to be made of, told at once (ENG-115, ENG-205). What a container
// is beyond that (its name, ports, logs, restarts) is checked with the containers, networks and mounts by theirs.
import type { HostConfig } from '../../resources/containers/schema.ts'
import { checkCapabilities } from './capabilities.ts'
import { checkResources, when } from './check-resources.ts'
import { checkDeviceRules } from './devices.ts'
import type { HostFacts } from './host.ts'
import { checkUlimits } from './process-limits.ts'
import { parseSecurityOptions } from './security-options.ts'
import { checkInterfaceSysctls, checkSysctls } from './sysctls.ts'

export function checkHostConfig(hostConfig: HostConfig, host: HostFacts): string[] {
  return [
    ...checkModes(hostConfig),
    ...checkResources(hostConfig, host),
    ...checkUlimits(hostConfig),
    ...checkCapabilities(hostConfig),
    ...checkSysctls(hostConfig),
    ...checkInterfaceSysctls(hostConfig),
    ...parseSecurityOptions(hostConfig.SecurityOpt ?? []).problems,
    ...checkDevices(hostConfig),
    ...checkDeviceRules(hostConfig),
    ...checkStorage(hostConfig),
    ...checkOther(hostConfig, host),
  ]
}

const isOneOf = (mode: string | undefined, names: readonly string[]): boolean =>
  mode === undefined || mode === '' || names.includes(mode)

function checkModes({ UsernsMode, CgroupnsMode, Cgroup }: HostConfig): string[] {
  return when([
    [!isOneOf(UsernsMode, ['host']), `invalid user namespace mode: ${UsernsMode}`],
    [!isOneOf(CgroupnsMode, ['private', 'host']), `invalid cgroup namespace mode: ${CgroupnsMode}`],
    [Boolean(Cgroup), `Cgroup "${Cgroup}" is not supported: containers have control groups of their own`],
  ])
}

/** Devices of Windows are named by class or id: taken (ENG-207), with a warning; no container of Linux starts so. */
function checkDevices({ Devices = [] }: HostConfig): string[] {
  return Devices.flatMap(({ PathOnHost, PathInContainer = '', CgroupPermissions = '' }) => {
    const isOfWindows = PathOnHost.includes('://')
    return when([
      [!isOfWindows && !PathOnHost.startsWith('/'), `bad format for path: ${PathOnHost}`],
      [PathInContainer !== '' && !isInside(PathInContainer), `bad format for path: ${PathInContainer}`],
      [!/^[rwm]{0,3}$/.test(CgroupPermissions), `bad mode for device ${PathOnHost}: ${CgroupPermissions}`],
    ])
  })
}

const isInside = (path: string): boolean => path.startsWith('/') && !path.split('/').includes('..')

const sizeForm = /^\d+(\.\d+)?\s*([kmgtp]i?)?b?$/i

/** ENG-170: a size is taken, and a warning says that nothing keeps to it. */
const checkStorage = ({ StorageOpt = {} }: HostConfig): string[] =>
  Object.entries(StorageOpt).flatMap(([name, value]) => {
    if (name !== 'size') return [`unknown option ${name}`]
    return sizeForm.test(value) ? [] : [`invalid size: '${value}'`]
  })

function checkOther(hostConfig: HostConfig, { initPath }: HostFacts): string[] {
  const { ShmSize = 0, OomScoreAdj = 0, CgroupParent = '', ConsoleSize = [0, 0], Init } = hostConfig
  const paths = [...(hostConfig.MaskedPaths ?? []), ...(hostConfig.ReadonlyPaths ?? [])]
  return [
    ...when([
      [ShmSize < 0, 'SHM size can not be less than 0'],
      [
        OomScoreAdj < -1_000 || OomScoreAdj > 1_000,
        `Invalid value ${OomScoreAdj}, range for oom score adj is [-1000, 1000]`,
      ],
      [CgroupParent.split('/').includes('..'), `invalid CgroupParent: ${CgroupParent}`],
      [ConsoleSize.some((side) => side < 0 || side > 65_535), 'ConsoleSize must be between 0 and 65535'],
      [Boolean(Init) && initPath === undefined, 'Init needs a static init program on the host: install tini'],
    ]),
    ...paths.filter((path) => !isInside(path)).map((path) => `invalid masked or read-only path: ${path}`),
  ]
}

// Everything that is mounted in a container: what every container has, what the engine writes for it, what it asked for.
import { posix } from 'node:path'
import { systemError } from '../../errors.ts'
import type { MountPoint } from '../../resources/containers/record.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { OciSpec } from '../runtime.ts'
import type { HostFacts } from './host.ts'

type SpecMount = OciSpec['mounts'][number]

/** Files on the host that the engine writes for a container. */
export interface EtcFiles {
  hosts?: string
  hostname?: string
  resolvConf?: string
}

interface MountsInput {
  hostConfig: HostConfig
  mounts: readonly MountPoint[]
  etc: EtcFiles
  /** Folder of the shared memory that several containers see; absent: the container has its own, or none. */
  sharedMemory?: string
  /** Bound into the container as its first process. */
  initPath?: string
  host: HostFacts
}

export const initInside = '/sbin/docker-init'
export const defaultShmBytes = 64 * 1024 * 1024

const recursiveReadOnlySince = [5, 12] as const

const place = (destination: string, type: string, source: string, options: string[]): SpecMount => ({
  destination,
  type,
  source,
  options,
})

export function buildMounts(input: MountsInput): SpecMount[] {
  const asked = input.mounts.map((mount) => askedMount(mount, input.host))
  const taken = new Set(asked.map(({ destination }) => destination))
  const own = [...systemMounts(input.hostConfig), ...sharedMemory(input), ...etcMounts(input), ...initMount(input)]
  const kept = own.filter(({ destination }) => !isCovered(destination, taken))
  return [...kept, ...asked.sort((one, other) => depth(one.destination) - depth(other.destination))]
}

/** Who mounts over /dev has all below it as well. */
const isCovered = (destination: string, taken: ReadonlySet<string>): boolean =>
  taken.has(destination) || (destination.startsWith('/dev/') && taken.has('/dev'))

const depth = (path: string): number => path.split('/').filter(Boolean).length

/** Privileged containers may write to /sys and to control groups. */
function systemMounts({ Privileged }: HostConfig): SpecMount[] {
  const guard = Privileged ? [] : ['ro']
  return [
    place('/proc', 'proc', 'proc', ['nosuid', 'noexec', 'nodev']),
    place('/dev', 'tmpfs', 'tmpfs', ['nosuid', 'strictatime', 'mode=755', 'size=65536k']),
    place('/dev/pts', 'devpts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5']),
    place('/sys', 'sysfs', 'sysfs', ['nosuid', 'noexec', 'nodev', ...guard]),
    place('/sys/fs/cgroup', 'cgroup', 'cgroup', ['nosuid', 'noexec', 'nodev', 'relatime', ...guard]),
  ]
}

/** Without communication between processes there is neither shared memory nor message queues (ENG-148). */
function sharedMemory({ hostConfig: { IpcMode, ShmSize }, sharedMemory: folder }: MountsInput): SpecMount[] {
  if (IpcMode === 'none') return []
  const guards = ['nosuid', 'noexec', 'nodev']
  const source = IpcMode === 'host' ? '/dev/shm' : folder
  return [
    place('/dev/mqueue', 'mqueue', 'mqueue', guards),
    source === undefined
      ? place('/dev/shm', 'tmpfs', 'shm', [...guards, 'mode=1777', `size=${ShmSize || defaultShmBytes}`])
      : place('/dev/shm', 'bind', source, ['rbind', 'rprivate', ...guards]),
  ]
}

function etcMounts({ etc, hostConfig }: MountsInput): SpecMount[] {
  const files = [
    ['/etc/resolv.conf', etc.resolvConf],
    ['/etc/hostname', etc.hostname],
    ['/etc/hosts', etc.hosts],
  ] as const
  const access = hostConfig.ReadonlyRootfs ? ['ro'] : []
  return files.flatMap(([destination, source]) =>
    source === undefined ? [] : [place(destination, 'bind', source, ['rbind', 'rprivate', ...access])],
  )
}

const initMount = ({ initPath }: MountsInput): SpecMount[] =>
  initPath === undefined ? [] : [place(initInside, 'bind', initPath, ['bind', 'ro'])]

function askedMount(mount: MountPoint, host: HostFacts): SpecMount {
  const { Type, Source, RW, Propagation, options = {} } = mount
  const destination = posix.normalize(mount.Destination)
  if (Type === 'tmpfs') return place(destination, 'tmpfs', 'tmpfs', [...(options.tmpfs ?? []), ...(RW ? [] : ['ro'])])
  if (options.device !== undefined) {
    const { type, source, flags } = options.device
    return place(destination, type, source, [...flags, ...(RW ? [] : ['ro'])])
  }
  const propagation = Propagation || 'rprivate'
  // With a propagation that reaches below, crun 1.8 binds what is mounted below as well (ENG-139).
  const binding = options.nonRecursive ? ['bind', propagation.replace(/^r/, '')] : ['rbind', propagation]
  return place(destination, 'bind', Source, [...binding, ...readOnlyFlags(mount, host)])
}

/** From kernel 5.12 on also what is mounted below becomes read-only (ENG-109, ENG-728). */
function readOnlyFlags({ RW, Destination, options = {} }: MountPoint, { kernel: [major, minor] }: HostFacts): string[] {
  if (RW) return []
  const [wantedMajor, wantedMinor] = recursiveReadOnlySince
  const isPossible = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
  if (options.readOnlyForceRecursive && !isPossible) {
    throw systemError(
      `mount ${Destination}: recursively read-only mounts need kernel ${recursiveReadOnlySince.join('.')}`,
    )
  }
  return isPossible && !options.readOnlyNonRecursive ? ['rro'] : ['ro']
}

// What this machine and this process can give to containers. Read once at the start; specs are built from it alone.
import { access, constants, readdir, readFile, realpath } from 'node:fs/promises'
import { availableParallelism, machine, release } from 'node:os'
import { capabilityNames } from './capability-names.ts'
import { type DeviceNode, readDevice } from './device-nodes.ts'
import { networkDefaults, pingGroups } from './network-defaults.ts'

/** Limits of control groups that a kernel may lack. */
export type Control =
  | 'memory'
  | 'swap'
  | 'reservation'
  | 'swappiness'
  | 'oom-kill-disable'
  | 'kernel-tcp'
  | 'cpu-shares'
  | 'cpu-quota'
  | 'cpu-realtime'
  | 'cpuset'
  | 'pids'
  | 'blkio-weight'
  | 'blkio-weight-device'
  | 'blkio-throttle'

export interface HostFacts {
  /** As `uname -m`: `x86_64`, `aarch64`. */
  architecture: string
  kernel: readonly [major: number, minor: number]
  /** Those the engine holds: what it lacks it cannot give. */
  capabilities: ReadonlySet<string>
  /** By name (`NOFILE`); Infinity for none. */
  hardLimits: Readonly<Record<string, number>>
  /** No open-files limit can be above it. */
  maxOpenFiles: number
  oomScoreAdj: number
  cpus: number
  cgroupVersion: 1 | 2
  controls: ReadonlySet<Control>
  /** Kernel parameters that containers get by default, where this kernel has them. */
  sysctls: ReadonlySet<string>
  /** A static init program; absent: there is none. */
  initPath?: string
  /** Graphics processors by index, and what all of them need. */
  gpus: readonly DeviceNode[]
  gpuControls: readonly DeviceNode[]
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

export async function readHostFacts(): Promise<HostFacts> {
  const [status, limits, nrOpen, oom] = await Promise.all([
    readText('/proc/self/status'),
    readText('/proc/self/limits'),
    readText('/proc/sys/fs/nr_open'),
    readText('/proc/self/oom_score_adj'),
  ])
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const initPath = await findInit()
  return {
    architecture: machine(),
    kernel: [major, minor],
    capabilities: heldCapabilities(status),
    hardLimits: readHardLimits(limits),
    maxOpenFiles: Number(nrOpen) || 1_048_576,
    oomScoreAdj: Number(oom) || 0,
    cpus: availableParallelism(),
    ...(await readControls()),
    sysctls: await readSysctls(),
    ...(initPath === undefined ? {} : { initPath }),
    ...(await readGpus()),
  }
}

function heldCapabilities(status: string): Set<string> {
  const bits = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  return new Set(capabilityNames.filter((_, index) => (bits >> BigInt(index)) & 1n))
}

/** Rows of /proc/self/limits, and what ulimits call them. */
const limitRows: Readonly<Record<string, string>> = {
  'Max cpu time': 'CPU',
  'Max file size': 'FSIZE',
  'Max data size': 'DATA',
  'Max stack size': 'STACK',
  'Max core file size': 'CORE',
  'Max resident set': 'RSS',
  'Max processes': 'NPROC',
  'Max open files': 'NOFILE',
  'Max locked memory': 'MEMLOCK',
  'Max address space': 'AS',
  'Max file locks': 'LOCKS',
  'Max pending signals': 'SIGPENDING',
  'Max msgqueue size': 'MSGQUEUE',
  'Max nice priority': 'NICE',
  'Max realtime priority': 'RTPRIO',
  'Max realtime timeout': 'RTTIME',
}
export const limitNames: readonly string[] = Object.values(limitRows)

function readHardLimits(text: string): Record<string, number> {
  const rows = text.split('\n').flatMap((line): [string, number][] => {
    const found = /^(Max [a-z ]*[a-z])\s+\S+\s+(\d+|unlimited)/.exec(line)
    const name = found === null ? undefined : limitRows[found[1] ?? '']
    return name === undefined
      ? []
      : [[name, found?.[2] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found?.[2])]]
  })
  return Object.fromEntries(rows)
}

/** The file that shows a control is there: in the root group of a v1 hierarchy. */
const controlFiles: Readonly<Record<Control, string>> = {
  memory: 'memory/memory.limit_in_bytes',
  swap: 'memory/memory.memsw.limit_in_bytes',
  reservation: 'memory/memory.soft_limit_in_bytes',
  swappiness: 'memory/memory.swappiness',
  'oom-kill-disable': 'memory/memory.oom_control',
  'kernel-tcp': 'memory/memory.kmem.tcp.limit_in_bytes',
  'cpu-shares': 'cpu/cpu.shares',
  'cpu-quota': 'cpu/cpu.cfs_quota_us',
  'cpu-realtime': 'cpu/cpu.rt_runtime_us',
  cpuset: 'cpuset/cpuset.cpus',
  pids: 'pids/cgroup.procs',
  'blkio-weight': 'blkio/blkio.weight',
  'blkio-weight-device': 'blkio/blkio.weight_device',
  'blkio-throttle': 'blkio/blkio.throttle.read_bps_device',
}

const v2Controls: Readonly<Record<string, readonly Control[]>> = {
  memory: ['memory', 'swap', 'reservation'],
  cpu: ['cpu-shares', 'cpu-quota'],
  cpuset: ['cpuset'],
  pids: ['pids'],
  io: ['blkio-throttle', 'blkio-weight', 'blkio-weight-device'],
}

async function readControls(): Promise<{ cgroupVersion: 1 | 2; controls: Set<Control> }> {
  const unified = await readText('/sys/fs/cgroup/cgroup.controllers')
  if (unified !== '') {
    const controls = unified
      .trim()
      .split(/\s+/)
      .flatMap((name) => v2Controls[name] ?? [])
    return { cgroupVersion: 2, controls: new Set(controls) }
  }
  const found = await Promise.all(
    Object.entries(controlFiles).map(([control, file]) =>
      access(`/sys/fs/cgroup/${file}`).then(
        () => [control as Control],
        () => [],
      ),
    ),
  )
  return { cgroupVersion: 1, controls: new Set(found.flat()) }
}

/** A group that is not mapped here cannot be named in the range of those that may ping. */
async function readSysctls(): Promise<Set<string>> {
  const groups = (await readText('/proc/self/gid_map')).trim().split('\n')
  const isWhole = groups.some((line) => /^\s*0\s+0\s+4294967295$/.test(line))
  const names = Object.keys(networkDefaults).filter((name) => isWhole || name !== pingGroups)
  const found = names.map((name) =>
    access(`/proc/sys/${name.replaceAll('.', '/')}`).then(
      () => [name],
      () => [],
    ),
  )
  return new Set((await Promise.all(found)).flat())
}

/** It runs inside any image, so it must need no libraries: `tini` itself is linked to them on Debian. */
const initPlaces = [
  '/usr/bin/docker-init',
  '/usr/libexec/docker/docker-init',
  '/usr/bin/tini-static',
  '/sbin/tini-static',
]

async function findInit(): Promise<string | undefined> {
  for (const place of initPlaces) {
    const path = await realpath(place).catch(() => undefined)
    if (path !== undefined && (await isExecutable(path))) return path
  }
  return undefined
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function readGpus(): Promise<{ gpus: DeviceNode[]; gpuControls: DeviceNode[] }> {
  const names = (await readdir('/dev').catch(() => [])).filter((name) =>
    /^nvidia(\d+|ctl|-uvm|-uvm-tools|-modeset)$/.test(name),
  )
  const nodes = (await Promise.all(names.map((name) => readDevice(`/dev/${name}`)))).flatMap((node) => node ?? [])
  const isGpu = ({ path }: DeviceNode): boolean => /nvidia\d+$/.test(path)
  const index = ({ path }: DeviceNode): number => Number(/\d+$/.exec(path)?.[0])
  return {
    gpus: nodes.filter(isGpu).sort((one, other) => index(one) - index(other)),
    gpuControls: nodes.filter((node) => !isGpu(node)),
  }
}

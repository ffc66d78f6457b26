// Limits of a container as the runtime takes them: at its start, and when they are updated. What the kernel lacks is
// left out, and said.
import { invalidParameter } from '../../errors.ts'
import type { Resources } from '../../resources/containers/schema.ts'
import type { OciResources } from '../runtime.ts'
import type { DeviceNode } from './device-nodes.ts'
import type { Control, HostFacts } from './host.ts'

const quotaPeriod = 100_000

/** Block devices by the path they were asked for. */
type BlockDevices = ReadonlyMap<string, DeviceNode>

interface Built {
  resources: OciResources
  warnings: string[]
}

/** The fields that name one control each: what they are called, and what to say when it is not there. */
const guarded: readonly (readonly [keyof Resources, Control, string])[] = [
  ['Memory', 'memory', 'memory limit'],
  ['MemoryReservation', 'reservation', 'memory soft limit'],
  ['MemorySwappiness', 'swappiness', 'memory swappiness'],
  ['OomKillDisable', 'oom-kill-disable', 'OomKillDisable'],
  ['KernelMemoryTCP', 'kernel-tcp', 'kernel memory TCP limit'],
  ['CpuShares', 'cpu-shares', 'CPU shares'],
  ['CpuPeriod', 'cpu-quota', 'CPU CFS period'],
  ['CpuQuota', 'cpu-quota', 'CPU CFS quota'],
  ['NanoCpus', 'cpu-quota', 'CPU CFS scheduler'],
  ['CpuRealtimePeriod', 'cpu-realtime', 'CPU realtime scheduler'],
  ['CpuRealtimeRuntime', 'cpu-realtime', 'CPU realtime scheduler'],
  ['CpusetCpus', 'cpuset', 'cpuset'],
  ['CpusetMems', 'cpuset', 'cpuset'],
  ['PidsLimit', 'pids', 'PIDs limit'],
  ['BlkioWeight', 'blkio-weight', 'block I/O weight'],
  ['BlkioWeightDevice', 'blkio-weight-device', 'block I/O weight by device'],
  ['BlkioDeviceReadBps', 'blkio-throttle', 'block I/O limits in bytes per second'],
  ['BlkioDeviceWriteBps', 'blkio-throttle', 'block I/O limits in bytes per second'],
  ['BlkioDeviceReadIOps', 'blkio-throttle', 'block I/O limits in operations per second'],
  ['BlkioDeviceWriteIOps', 'blkio-throttle', 'block I/O limits in operations per second'],
]

const isAsked = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== 0 && value !== '' && value !== false

/** -1 is how callers say that swappiness is not theirs to choose, and that processes have no limit. */
const isWorthSaying = (field: keyof Resources, value: unknown): boolean =>
  isAsked(value) && !((field === 'MemorySwappiness' || field === 'PidsLimit') && value === -1)

export function dropMissing(asked: Resources, controls: ReadonlySet<Control>): { kept: Resources; warnings: string[] } {
  const missing = guarded.filter(([field, control]) => !controls.has(control) && isWorthSaying(field, asked[field]))
  const kept = { ...asked }
  for (const [field] of missing) delete kept[field]
  const warnings = new Set(
    missing.map(
      ([, , what]) => `Your kernel does not support ${what} or the cgroup is not mounted. ${what} discarded.`,
    ),
  )
  if (isAsked(asked.MemorySwap) && asked.Memory && !controls.has('swap')) {
    delete kept.MemorySwap
    warnings.add(
      'Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap.',
    )
  }
  if (kept.OomKillDisable && !kept.Memory) {
    warnings.add(
      'OOM killer is disabled for the container, but no memory limit is set, this can result in the system running out of resources.',
    )
  }
  return { kept, warnings: [...warnings] }
}

const some = <T extends object>(fields: T): T | undefined => {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T)
}

const positive = (value: number | undefined): number | undefined => (value ? value : undefined)
const text = (value: string | undefined): string | undefined => value || undefined

export function buildResources(asked: Resources, host: HostFacts, blockDevices: BlockDevices): Built {
  const { kept, warnings } = dropMissing(asked, host.controls)
  const parts = {
    memory: memoryPart(kept, host),
    cpu: cpuPart(kept),
    pids: kept.PidsLimit === undefined ? undefined : { limit: kept.PidsLimit > 0 ? kept.PidsLimit : -1 },
    blockIO: blockPart(kept, blockDevices),
  }
  return { resources: some(parts) ?? {}, warnings }
}

function memoryPart(asked: Resources, host: HostFacts): OciResources['memory'] {
  const { Memory, MemorySwap } = asked
  const swap = MemorySwap || (Memory && Memory > 0 && host.controls.has('swap') ? Memory * 2 : undefined)
  return some({
    limit: positive(Memory),
    reservation: positive(asked.MemoryReservation),
    swap: positive(swap),
    swappiness: asked.MemorySwappiness === -1 ? undefined : asked.MemorySwappiness,
    disableOOMKiller: asked.OomKillDisable ? true : undefined,
    kernelTCP: positive(asked.KernelMemoryTCP),
  })
}

function cpuPart(asked: Resources): OciResources['cpu'] {
  const nano = asked.NanoCpus ? { quota: Math.round((asked.NanoCpus * quotaPeriod) / 1e9), period: quotaPeriod } : {}
  return some({
    shares: positive(asked.CpuShares),
    quota: positive(asked.CpuQuota),
    period: positive(asked.CpuPeriod),
    realtimeRuntime: positive(asked.CpuRealtimeRuntime),
    realtimePeriod: positive(asked.CpuRealtimePeriod),
    cpus: text(asked.CpusetCpus),
    mems: text(asked.CpusetMems),
    ...nano,
  })
}

function blockPart(asked: Resources, devices: BlockDevices): OciResources['blockIO'] {
  const place = (path: string): { major: number; minor: number } => {
    const device = devices.get(path)
    if (device?.type !== 'b') throw invalidParameter(`${path}: there is no block device of this name`)
    return { major: device.major, minor: device.minor }
  }
  const rates = (list: { Path: string; Rate: number }[] | undefined) =>
    list?.length ? list.map(({ Path, Rate }) => ({ ...place(Path), rate: Rate })) : undefined
  return some({
    weight: positive(asked.BlkioWeight),
    weightDevice: asked.BlkioWeightDevice?.length
      ? asked.BlkioWeightDevice.map(({ Path, Weight }) => ({ ...place(Path), weight: Weight }))
      : undefined,
    throttleReadBpsDevice: rates(asked.BlkioDeviceReadBps),
    throttleWriteBpsDevice: rates(asked.BlkioDeviceWriteBps),
    throttleReadIOPSDevice: rates(asked.BlkioDeviceReadIOps),
    throttleWriteIOPSDevice: rates(asked.BlkioDeviceWriteIOps),
  })
}

// From what the kernel counts to what clients read.
import type { NetworkStats } from '../../../network/networking.ts'
import type { CgroupUsage } from '../../../runtime/runtime.ts'
import type { ContainerRecord } from '../record.ts'
import type { BlockIoStats, CpuStats, Stats } from './schema.ts'

export const never = '0001-01-01T00:00:00Z'

/** One look at a running container. */
export interface Sample {
  usage: CgroupUsage
  networks: Record<string, NetworkStats>
}

const noCpu: CpuStats = {
  cpu_usage: { total_usage: 0, usage_in_kernelmode: 0, usage_in_usermode: 0 },
  throttling_data: { periods: 0, throttled_periods: 0, throttled_time: 0 },
}

const blockIoNames = [
  'io_service_bytes_recursive',
  'io_serviced_recursive',
  'io_queue_recursive',
  'io_service_time_recursive',
  'io_wait_time_recursive',
  'io_merged_recursive',
  'io_time_recursive',
  'sectors_recursive',
] as const satisfies readonly (keyof BlockIoStats)[]

const blockIoOf = (counted: CgroupUsage['blockIo']): BlockIoStats =>
  Object.fromEntries(blockIoNames.map((name) => [name, counted[name] ?? null])) as BlockIoStats

function cpuOf({ cpu }: CgroupUsage): CpuStats {
  const { throttling } = cpu
  return {
    cpu_usage: {
      total_usage: cpu.totalNanoseconds,
      ...(cpu.perCpuNanoseconds.length > 0 ? { percpu_usage: cpu.perCpuNanoseconds } : {}),
      usage_in_kernelmode: cpu.systemNanoseconds,
      usage_in_usermode: cpu.userNanoseconds,
    },
    system_cpu_usage: cpu.hostNanoseconds,
    online_cpus: cpu.onlineCpus,
    throttling_data: {
      periods: throttling.periods,
      throttled_periods: throttling.throttledPeriods,
      throttled_time: throttling.throttledNanoseconds,
    },
  }
}

/** A container that does not run uses nothing. */
export function emptyStats({ id, name }: ContainerRecord): Stats {
  return {
    read: never,
    preread: never,
    pids_stats: {},
    blkio_stats: blockIoOf({}),
    num_procs: 0,
    storage_stats: {},
    cpu_stats: noCpu,
    precpu_stats: noCpu,
    memory_stats: {},
    name: `/${name}`,
    id,
  }
}

export function statsOf({ id, name }: ContainerRecord, sample: Sample, previous: Sample | undefined): Stats {
  const { usage, networks } = sample
  const { memory, pids } = usage
  return {
    read: usage.readAt,
    preread: previous?.usage.readAt ?? never,
    pids_stats: { current: pids.current, ...(pids.limit === undefined ? {} : { limit: pids.limit }) },
    blkio_stats: blockIoOf(usage.blockIo),
    num_procs: 0,
    storage_stats: {},
    cpu_stats: cpuOf(usage),
    precpu_stats: previous === undefined ? noCpu : cpuOf(previous.usage),
    memory_stats: {
      usage: memory.usage,
      max_usage: memory.maxUsage,
      stats: memory.details,
      failcnt: memory.failures,
      limit: memory.limit,
    },
    name: `/${name}`,
    id,
    ...(Object.keys(networks).length > 0 ? { networks } : {}),
  }
}

// What a container uses, as `GET /containers/:id/stats` tells it.
import { z } from 'zod'

export const StatsParams = z.object({ id: z.string() })

const CpuStats = z.object({
  cpu_usage: z.object({
    total_usage: z.number(),
    percpu_usage: z.array(z.number()).optional(),
    usage_in_kernelmode: z.number(),
    usage_in_usermode: z.number(),
  }),
  system_cpu_usage: z.number().optional(),
  online_cpus: z.number().optional(),
  throttling_data: z.object({ periods: z.number(), throttled_periods: z.number(), throttled_time: z.number() }),
})
export type CpuStats = z.output<typeof CpuStats>

const BlockIoEntry = z.object({ major: z.number(), minor: z.number(), op: z.string(), value: z.number() })
const blockIo = z.array(BlockIoEntry).nullable()

const BlockIoStats = z.object({
  io_service_bytes_recursive: blockIo,
  io_serviced_recursive: blockIo,
  io_queue_recursive: blockIo,
  io_service_time_recursive: blockIo,
  io_wait_time_recursive: blockIo,
  io_merged_recursive: blockIo,
  io_time_recursive: blockIo,
  sectors_recursive: blockIo,
})
export type BlockIoStats = z.output<typeof BlockIoStats>

const NetworkStats = z.object({
  rx_bytes: z.number(),
  rx_packets: z.number(),
  rx_errors: z.number(),
  rx_dropped: z.number(),
  tx_bytes: z.number(),
  tx_packets: z.number(),
  tx_errors: z.number(),
  tx_dropped: z.number(),
})

export const Stats = z.object({
  read: z.string(),
  preread: z.string(),
  pids_stats: z.object({ current: z.number().optional(), limit: z.number().optional() }),
  blkio_stats: BlockIoStats,
  num_procs: z.number(),
  storage_stats: z.object({}),
  cpu_stats: CpuStats,
  precpu_stats: CpuStats,
  memory_stats: z.object({
    usage: z.number().optional(),
    max_usage: z.number().optional(),
    stats: z.record(z.string(), z.number()).optional(),
    failcnt: z.number().optional(),
    limit: z.number().optional(),
  }),
  name: z.string(),
  id: z.string(),
  networks: z.record(z.string(), NetworkStats).optional(),
})
export type Stats = z.output<typeof Stats>

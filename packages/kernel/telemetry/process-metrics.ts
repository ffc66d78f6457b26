// What Prometheus expects of every process, read at the moment of the scrape.
import { readdirSync } from 'node:fs'
import type { Metric } from './exposition.ts'

const startedAtSeconds = Math.round(performance.timeOrigin) / 1000

export function processMetrics(): Metric[] {
  const cpu = process.cpuUsage()
  const memory = process.memoryUsage()
  const openFiles = countOpenFiles()
  const loop = performance.eventLoopUtilization()
  const seconds = (microseconds: number) => microseconds / 1e6
  return [
    single('counter', 'process_cpu_user_seconds_total', 'CPU time spent in user mode.', seconds(cpu.user)),
    single('counter', 'process_cpu_system_seconds_total', 'CPU time spent in the system.', seconds(cpu.system)),
    single('counter', 'process_cpu_seconds_total', 'CPU time spent in all.', seconds(cpu.user + cpu.system)),
    single('gauge', 'process_start_time_seconds', 'When the process began, in Unix seconds.', startedAtSeconds),
    single('gauge', 'process_resident_memory_bytes', 'Memory the process occupies.', memory.rss),
    single('gauge', 'nodejs_heap_size_used_bytes', 'Bytes of the JavaScript heap in use.', memory.heapUsed),
    single('gauge', 'nodejs_heap_size_total_bytes', 'Bytes of the JavaScript heap.', memory.heapTotal),
    single('gauge', 'nodejs_external_memory_bytes', 'Bytes of buffers outside the heap.', memory.external),
    single('gauge', 'nodejs_eventloop_utilization', 'Share of time the event loop was busy.', loop.utilization),
    ...(openFiles === undefined ? [] : [single('gauge', 'process_open_fds', 'Open file descriptors.', openFiles)]),
  ]
}

export function single(kind: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { name, help, kind, samples: () => [{ suffix: '', labels: {}, value }] }
}

/** Only Linux tells. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

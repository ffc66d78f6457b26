// A container's figures, second by second: the last few minutes of them.
import { useEffect, useState } from 'react'
import { jsonLines } from '../../api/json-lines.ts'
import { sendTo } from '../../api/service-client.ts'
import { at } from './engine.ts'

const keptSamples = 180

export interface Samples {
  times: number[]
  /** Of one processor, in percent. */
  processor: number[]
  memory: number[]
  received: number[]
  sent: number[]
  read: number[]
  written: number[]
}

interface Stats {
  read: string
  cpu_stats: { cpu_usage: { total_usage: number }; system_cpu_usage?: number; online_cpus?: number }
  precpu_stats: Stats['cpu_stats']
  memory_stats: { usage?: number; stats?: { inactive_file?: number } }
  networks?: Record<string, { rx_bytes: number; tx_bytes: number }>
  blkio_stats?: { io_service_bytes_recursive?: { op: string; value: number }[] | null }
}

const none: Samples = { times: [], processor: [], memory: [], received: [], sent: [], read: [], written: [] }

export function useStats(id: string, isRunning: boolean): { samples: Samples; problem: unknown } {
  const [samples, setSamples] = useState(none)
  const [problem, setProblem] = useState<unknown>()
  useEffect(() => {
    if (!isRunning) return undefined
    const leaving = new AbortController()
    follow(id, leaving.signal, (next) => setSamples((before) => added(before, next))).catch((error: unknown) => {
      if (!leaving.signal.aborted) setProblem(error)
    })
    return () => leaving.abort()
  }, [id, isRunning])
  return { samples, problem }
}

type Sample = Record<keyof Samples, number>

async function follow(id: string, signal: AbortSignal, take: (sample: Sample) => void): Promise<void> {
  const { body } = await sendTo('engine', at(id, '/stats?stream=1'), { signal })
  if (body === null) return
  let before: Stats | undefined
  for await (const stats of jsonLines<Stats>(body)) {
    if (before !== undefined) take(sampleOf(before, stats))
    before = stats
  }
}

function sampleOf(before: Stats, now: Stats): Sample {
  const seconds = Math.max(0.1, (Date.parse(now.read) - Date.parse(before.read)) / 1000)
  const rate = (of: (stats: Stats) => number): number => Math.max(0, (of(now) - of(before)) / seconds)
  return {
    times: Date.parse(now.read) / 1000,
    processor: processorOf(before, now),
    memory: (now.memory_stats.usage ?? 0) - (now.memory_stats.stats?.inactive_file ?? 0),
    received: rate((stats) => network(stats, 'rx_bytes')),
    sent: rate((stats) => network(stats, 'tx_bytes')),
    read: rate((stats) => disk(stats, 'read')),
    written: rate((stats) => disk(stats, 'write')),
  }
}

function processorOf({ cpu_stats: before }: Stats, { cpu_stats: now }: Stats): number {
  const whole = (now.system_cpu_usage ?? 0) - (before.system_cpu_usage ?? 0)
  const own = now.cpu_usage.total_usage - before.cpu_usage.total_usage
  return whole > 0 ? Math.max(0, (own / whole) * (now.online_cpus ?? 1) * 100) : 0
}

const network = ({ networks }: Stats, direction: 'rx_bytes' | 'tx_bytes'): number =>
  Object.values(networks ?? {}).reduce((sum, one) => sum + one[direction], 0)

const disk = ({ blkio_stats }: Stats, operation: string): number =>
  (blkio_stats?.io_service_bytes_recursive ?? [])
    .filter(({ op }) => op.toLowerCase() === operation)
    .reduce((sum, { value }) => sum + value, 0)

function added(before: Samples, sample: Sample): Samples {
  const names = Object.keys(before) as (keyof Samples)[]
  return Object.fromEntries(
    names.map((name) => [name, [...before[name], sample[name]].slice(-keptSamples)]),
  ) as unknown as Samples
}

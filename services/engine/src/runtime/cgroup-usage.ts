// What a container uses, read from its control groups; the same shape for cgroup v1 and v2.
import { readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Cgroup } from './cgroups.ts'
import type { CgroupUsage } from './runtime.ts'

/** The kernel counts time in ticks of 10 ms where it does not count nanoseconds. */
const nanosecondsPerTick = 10_000_000
const hostFields = 7

type Flat = Record<string, number>
type BlockIo = CgroupUsage['blockIo']

async function text(cgroup: Cgroup, controller: string, file: string): Promise<string> {
  const folder = cgroup.folder(controller)
  return folder === undefined ? '' : readFile(join(folder, file), 'utf8').catch(() => '')
}

const number = async (cgroup: Cgroup, controller: string, file: string): Promise<number> =>
  Number((await text(cgroup, controller, file)).trim()) || 0

function flat(words: string): Flat {
  const pairs = words
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/))
  return Object.fromEntries(pairs.filter(([key]) => key).map(([key = '', value]) => [key, Number(value) || 0]))
}

async function pids(cgroup: Cgroup): Promise<CgroupUsage['pids']> {
  const [current, limit] = await Promise.all([number(cgroup, 'pids', 'pids.current'), text(cgroup, 'pids', 'pids.max')])
  return /^\d/.test(limit) ? { current, limit: Number(limit) } : { current }
}

interface HostTime {
  nanoseconds: number
  cpus: number
}

async function hostTime(): Promise<HostTime> {
  const lines = (await readFile('/proc/stat', 'utf8')).split('\n')
  const fields = (lines[0] ?? '').split(/\s+/).slice(1, 1 + hostFields)
  const ticks = fields.reduce((sum, field) => sum + Number(field), 0)
  return { nanoseconds: ticks * nanosecondsPerTick, cpus: lines.filter((line) => /^cpu\d/.test(line)).length }
}

async function cpuV1(cgroup: Cgroup, host: HostTime): Promise<CgroupUsage['cpu']> {
  const [total, user, system, perCpu, stat] = await Promise.all([
    number(cgroup, 'cpuacct', 'cpuacct.usage'),
    number(cgroup, 'cpuacct', 'cpuacct.usage_user'),
    number(cgroup, 'cpuacct', 'cpuacct.usage_sys'),
    text(cgroup, 'cpuacct', 'cpuacct.usage_percpu'),
    text(cgroup, 'cpu', 'cpu.stat').then(flat),
  ])
  return {
    totalNanoseconds: total,
    userNanoseconds: user,
    systemNanoseconds: system,
    perCpuNanoseconds: perCpu.trim().split(/\s+/).filter(Boolean).map(Number),
    onlineCpus: host.cpus,
    hostNanoseconds: host.nanoseconds,
    throttling: {
      periods: stat.nr_periods ?? 0,
      throttledPeriods: stat.nr_throttled ?? 0,
      throttledNanoseconds: stat.throttled_time ?? 0,
    },
  }
}

async function cpuV2(cgroup: Cgroup, host: HostTime): Promise<CgroupUsage['cpu']> {
  const stat = flat(await text(cgroup, '', 'cpu.stat'))
  const nanoseconds = (key: string): number => (stat[key] ?? 0) * 1000
  return {
    totalNanoseconds: nanoseconds('usage_usec'),
    userNanoseconds: nanoseconds('user_usec'),
    systemNanoseconds: nanoseconds('system_usec'),
    perCpuNanoseconds: [],
    onlineCpus: host.cpus,
    hostNanoseconds: host.nanoseconds,
    throttling: {
      periods: stat.nr_periods ?? 0,
      throttledPeriods: stat.nr_throttled ?? 0,
      throttledNanoseconds: nanoseconds('throttled_usec'),
    },
  }
}

/** No limit, or one above what the machine has: the machine is the limit. */
const orMachine = (limit: number): number => (limit > 0 && limit < totalmem() ? limit : totalmem())

async function memoryV1(cgroup: Cgroup): Promise<CgroupUsage['memory']> {
  const [usage, maxUsage, failures, limit, details] = await Promise.all([
    number(cgroup, 'memory', 'memory.usage_in_bytes'),
    number(cgroup, 'memory', 'memory.max_usage_in_bytes'),
    number(cgroup, 'memory', 'memory.failcnt'),
    number(cgroup, 'memory', 'memory.limit_in_bytes'),
    text(cgroup, 'memory', 'memory.stat').then(flat),
  ])
  return { usage, maxUsage, failures, limit: orMachine(limit), details }
}

async function memoryV2(cgroup: Cgroup): Promise<CgroupUsage['memory']> {
  const [usage, maxUsage, events, limit, details] = await Promise.all([
    number(cgroup, '', 'memory.current'),
    number(cgroup, '', 'memory.peak'),
    text(cgroup, '', 'memory.events').then(flat),
    number(cgroup, '', 'memory.max'),
    text(cgroup, '', 'memory.stat').then(flat),
  ])
  return { usage, maxUsage, failures: events.max ?? 0, limit: orMachine(limit), details }
}

/** `8:0 Read 4096` a line. */
function blockV1(words: string): BlockIo[string] {
  return [...words.matchAll(/^(\d+):(\d+) (\w+) (\d+)$/gm)].map(([, major, minor, op = '', value]) => ({
    major: Number(major),
    minor: Number(minor),
    op,
    value: Number(value),
  }))
}

async function blockIoV1(cgroup: Cgroup): Promise<BlockIo> {
  const recursive = async (name: string): Promise<BlockIo[string]> => {
    const files = [`blkio.bfq.${name}_recursive`, `blkio.throttle.${name}_recursive`, `blkio.throttle.${name}`]
    for (const file of files) {
      const found = blockV1(await text(cgroup, 'blkio', file))
      if (found.length > 0) return found
    }
    return []
  }
  const [bytes, counts] = await Promise.all([recursive('io_service_bytes'), recursive('io_serviced')])
  return { io_service_bytes_recursive: bytes, io_serviced_recursive: counts }
}

/** `8:0 rbytes=1 wbytes=2 rios=3 wios=4 …` a line. */
async function blockIoV2(cgroup: Cgroup): Promise<BlockIo> {
  const lines = [...(await text(cgroup, '', 'io.stat')).matchAll(/^(\d+):(\d+) (.*)$/gm)]
  const pick = (keys: Record<string, string>): BlockIo[string] =>
    lines.flatMap(([, major, minor, rest = '']) =>
      Object.entries(keys).map(([key, op]) => ({
        major: Number(major),
        minor: Number(minor),
        op,
        value: Number(new RegExp(`\\b${key}=(\\d+)`).exec(rest)?.[1] ?? 0),
      })),
    )
  return {
    io_service_bytes_recursive: pick({ rbytes: 'read', wbytes: 'write' }),
    io_serviced_recursive: pick({ rios: 'read', wios: 'write' }),
  }
}

export async function usageOf(cgroup: Cgroup): Promise<CgroupUsage> {
  const isV1 = cgroup.version === 1
  const host = await hostTime()
  const [pidsUsed, cpu, memory, blockIo] = await Promise.all([
    pids(cgroup),
    isV1 ? cpuV1(cgroup, host) : cpuV2(cgroup, host),
    isV1 ? memoryV1(cgroup) : memoryV2(cgroup),
    isV1 ? blockIoV1(cgroup) : blockIoV2(cgroup),
  ])
  return { readAt: new Date().toISOString(), pids: pidsUsed, cpu, memory, blockIo }
}

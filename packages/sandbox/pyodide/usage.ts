// What a process uses right now, as the kernel counts it. Undefined where there is no /proc, or no such process.
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

export interface Usage {
  cpuSeconds: number
  residentBytes: number
}

export function usageOf(pid: number): Usage | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      residentBytes: Number(resident ?? 0) * 1024,
    }
  } catch {
    return undefined
  }
}

/** The one child of a process. */
export function childOf(pid: number): number | undefined {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10)
    return Number.isNaN(child) ? undefined : child
  } catch {
    return undefined
  }
}

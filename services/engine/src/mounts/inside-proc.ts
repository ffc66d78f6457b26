// What no runtime of dockerd's lets anybody mount over: programs of the engine's own trust /proc.
import { statfsSync } from 'node:fs'
import type { MountPoint } from '../resources/containers/record.ts'

/** As lxcfs gives them to containers: what the machine is like. */
const replaceable = new Set(
  [
    ...['cpuinfo', 'diskstats', 'meminfo', 'stat', 'swaps', 'uptime', 'loadavg', 'slabinfo'],
    ...['net/dev', 'sys/kernel/ns_last_pid'],
  ].map((name) => `/proc/${name}`),
)
const procMagic = 0x9fa0

/** `Destination` is clean. */
export function procProblems({ Type, Source, Destination }: MountPoint): string[] {
  if (Destination === '/proc') {
    if (Type === 'bind' && isProc(Source)) return []
    return ['"/proc" cannot be mounted because it is not of type proc']
  }
  if (!Destination.startsWith('/proc/') || replaceable.has(Destination)) return []
  return [`"${Destination}" cannot be mounted because it is inside /proc`]
}

function isProc(folder: string): boolean {
  try {
    return statfsSync(folder).type === procMagic
  } catch {
    return false
  }
}

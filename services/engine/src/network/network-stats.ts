// Counters of a process's interfaces, as the kernel tells them.
import { readFile } from 'node:fs/promises'
import type { NetworkStats } from './networking.ts'

/** Names of the interfaces that a process sees, the loopback left out. */
export async function interfacesOf(pid: number): Promise<Record<string, NetworkStats>> {
  const text = await readFile(`/proc/${pid}/net/dev`, 'utf8')
  const lines = text.split('\n').slice(2)
  return Object.fromEntries(lines.flatMap((line) => readLine(line) ?? []).filter(([name]) => name !== 'lo'))
}

function readLine(line: string): [[string, NetworkStats]] | undefined {
  const [name, counters] = line.split(':')
  if (name === undefined || counters === undefined) return undefined
  const numbers = counters.trim().split(/\s+/).map(Number)
  const at = (index: number): number => numbers[index] ?? 0
  const stats = {
    rx_bytes: at(0),
    rx_packets: at(1),
    rx_errors: at(2),
    rx_dropped: at(3),
    tx_bytes: at(8),
    tx_packets: at(9),
    tx_errors: at(10),
    tx_dropped: at(11),
  }
  return [[name.trim(), stats]]
}

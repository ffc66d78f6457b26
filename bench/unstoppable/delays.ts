// How long a caller waits, asked at a steady pace while something else happens.
import { setTimeout } from 'node:timers/promises'
import type { AtollServer } from '../atoll-server.ts'
import type { Probe } from './attack.ts'

export interface Delays {
  medianMs: number
  p99Ms: number
  worstMs: number
}

/** Asks from before `work` begins until after it has ended. */
export async function delaysDuring(server: AtollServer, probe: Probe, work: () => Promise<void>): Promise<Delays> {
  const samples: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) samples.push(...(await timed(server, probe)))
  })()
  try {
    await work()
  } finally {
    isOver = true
    await asking
  }
  return summary(samples)
}

/** One asked late is a delay too: while an answer is out, those who would have asked meanwhile wait as well. */
async function timed(server: AtollServer, probe: Probe): Promise<number[]> {
  const start = performance.now()
  await probe.ask(server)
  const took = performance.now() - start
  const samples = []
  for (let left = took; left === took || left > 0; left -= probe.everyMs) samples.push(left)
  await setTimeout(Math.max(0, probe.everyMs - took))
  return samples
}

function summary(samples: number[]): Delays {
  const sorted = samples.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1) }
}

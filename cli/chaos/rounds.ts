// Fault after fault, drawn from a seed, until the time is over; and how long nothing could be written.
import { setTimeout as pause } from 'node:timers/promises'
import { drawsFrom } from '@atoll/engine/swarm/testing/draws'
import type { Availability } from './availability.ts'
import { type Fault, faults } from './faults.ts'
import { type Group, NotReady, untilAllServe } from './group.ts'

/** After the end of a fault, writes are granted again within this time. */
export const backWithinMs = 30_000
/** While one node has a fault, the others grant writes; as long as the balancer and a caller need to leave it. */
export const oneNodeOutageMs = 20_000
const restMs = [200, 1_500] as const

export interface Round {
  name: string
  what: string
  lastedMs: number
  /** The longest time without a granted write. */
  outageMs: number
  /** From the end of the fault on; undefined: not within the limit. */
  backMs: number | undefined
  isOfOneNode: boolean
  /** Which node did not serve again, and why: nothing more is tried after that. */
  unready?: string
}

interface RoundsNeeds {
  group: Group
  availability: Availability
  seed: number
  forMs: number
  /** So many at least, however long they take. */
  atLeast: number
  /** No fault begins any more. */
  isOver(): boolean
  tell(line: string): void
}

export async function playRounds(needs: RoundsNeeds): Promise<Round[]> {
  const { group, availability, seed, forMs, atLeast, isOver, tell } = needs
  const draws = drawsFrom(seed)
  const rounds: Round[] = []
  const until = performance.now() + forMs
  const between = ([least, most]: readonly [number, number]): number => least + draws.below(most - least)
  let left: Fault[] = []
  while (!isOver() && (performance.now() < until || rounds.length < atLeast)) {
    // Each once, in some order, before any comes again.
    if (left.length === 0) left = [...faults]
    const [fault] = left.splice(draws.below(left.length), 1)
    if (fault === undefined) break
    availability.reset()
    const began = performance.now()
    const { what, end } = await fault.begin(group, draws)
    await pause(between(fault.lastsMs))
    await end()
    const lastedMs = performance.now() - began
    const backMs = await availability.back(backWithinMs)
    const { name, isOfOneNode } = fault
    const last: Round = { name, what, lastedMs, outageMs: availability.longestOutageMs, backMs, isOfOneNode }
    rounds.push(last)
    tell(lineOf(last))
    const unready = await whoIsNotReady(group)
    if (unready !== undefined) return [...rounds.slice(0, -1), { ...last, unready }]
    await pause(between(restMs))
  }
  return rounds
}

async function whoIsNotReady({ nodes }: Group): Promise<string | undefined> {
  try {
    await untilAllServe(nodes)
    return undefined
  } catch (error) {
    if (error instanceof NotReady) return error.message
    throw error
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

function lineOf({ name, what, lastedMs, outageMs, backMs }: Round): string {
  const back = backMs === undefined ? 'not back' : `back after ${seconds(backMs)}`
  return `  ${what.padEnd(10)} ${name.padEnd(28)} ${seconds(lastedMs).padStart(7)}   longest without a write ${seconds(outageMs).padStart(6)}, ${back}`
}

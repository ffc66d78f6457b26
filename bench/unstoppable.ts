// What one caller can do to all others: the delay of another caller's small request, idle and beside each attack.
import { setTimeout } from 'node:timers/promises'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { answers } from './unstoppable/answers.ts'
import type { Attack, AttackGroup } from './unstoppable/attack.ts'
import { bodies } from './unstoppable/bodies.ts'
import { type Delays, delaysDuring } from './unstoppable/delays.ts'
import { intake } from './unstoppable/intake.ts'
import { models } from './unstoppable/models.ts'
import { benchQueue } from './unstoppable/queue.ts'
import { reads } from './unstoppable/reads.ts'

const groups: readonly AttackGroup[] = [bodies, answers, models, reads, ...intake]
/** `BENCH_ONLY='a note'`: attacks with these words in their names, and nothing else. */
const only = process.env.BENCH_ONLY
const idleMs = 3_000
const defaultRounds = 3

export async function bench(): Promise<void> {
  for (const group of groups) await benchGroup(chosen(group))
  if (only === undefined) await benchQueue()
}

const chosen = (group: AttackGroup): AttackGroup => ({
  ...group,
  attacks: group.attacks.filter(({ name }) => name.includes(only ?? '')),
})

/** A server of its own for each group: what one attack leaves behind must not excuse another. */
export async function benchGroup({ title, flags, attacks, goalMs }: AttackGroup): Promise<void> {
  if (attacks.length === 0) return
  console.log(`\n${title}`)
  console.log(
    `  ${'attack'.padEnd(58)} ${columns('idle p50', 'p99', 'worst')} | ${columns('beside p50', 'p99', 'worst', 'goal')}`,
  )
  const server = await spawnServer(flags)
  try {
    for (const attack of attacks) {
      const { idle, beside } = await measure(server, attack)
      const goal = goalMs(idle.medianMs)
      const verdict = beside.worstMs <= goal ? 'met' : 'NOT MET'
      console.log(
        `  ${attack.name.padEnd(58)} ${shown(idle)} | ${shown(beside)} ${columns(milliseconds(goal))} ${verdict}`,
      )
    }
  } finally {
    await server.close()
  }
}

async function measure(server: AtollServer, attack: Attack): Promise<{ idle: Delays; beside: Delays }> {
  const { probe, rounds = defaultRounds } = attack
  await attack.prepare?.(server)
  try {
    await probe.ask(server)
    const idle = await delaysDuring(server, probe, () => setTimeout(idleMs))
    const beside = await delaysDuring(server, probe, async () => {
      for (let round = 0; round < rounds; round++) await attack.run(server, round)
    })
    return { idle, beside }
  } finally {
    await attack.end?.()
  }
}

const columns = (...words: string[]): string => words.map((word) => word.padStart(10)).join(' ')

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

const shown = ({ medianMs, p99Ms, worstMs }: Delays): string => columns(...[medianMs, p99Ms, worstMs].map(milliseconds))

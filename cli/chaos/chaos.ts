// Tries faults on a group: reads the options, and runs it where nothing of it is seen outside.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { CommandProblem, telling } from '../command-problem.ts'
import { prepareGroup } from '../programs/group.ts'
import { lackingPatroni } from './databases/patroni.ts'
import { lackingForGroup, runIsolated } from './isolated.ts'
import type { ChaosSettings } from './run-chaos.ts'

const program = fileURLToPath(new URL('./run-chaos.ts', import.meta.url))
const mostMinutes = 24 * 60
const mostSeed = 2 ** 31 - 1

interface Flags {
  minutes?: string
  seed?: string
  single?: boolean
}

export function chaos({ minutes, seed, single = false }: Flags): Promise<void> {
  return telling(async () => {
    const settings = {
      seed: seed === undefined ? randomInt(1, mostSeed) : numberOf('--seed', seed, mostSeed),
      minutes: minutes === undefined ? 2 : numberOf('--minutes', minutes, mostMinutes),
      atLeast: 1,
      isSingle: single,
    }
    prepareGroup(true)
    const lacks = lackingForGroup()
    if (lacks !== '') throw new CommandProblem(`chaos needs ${lacks}, which is not here.`)
    const patroni = single ? '' : lackingPatroni()
    if (patroni !== '') throw new CommandProblem(`chaos needs ${patroni}; with --single it does without.`)
    process.exitCode = await runChaos(settings)
  })
}

/** Its exit code; what it tells goes to `hear`, or to this process's output. */
export const runChaos = (settings: ChaosSettings, hear?: (text: string) => void): Promise<number> =>
  runIsolated(program, [JSON.stringify(settings)], { hear, endsByItself: true })

function numberOf(name: string, text: string, most: number): number {
  const number = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= most) return number
  throw new CommandProblem(`${name} takes a number of at most ${most}, not ${text}.`)
}

// ./atoll vector-stores upgrade: asks the Atoll that runs on a data folder to embed old stores again, and shows how far
// it is.
import { setTimeout } from 'node:timers/promises'
import type { StoreUpgrade } from '@atoll/platform/resources/vector-stores/upgrades'
import { CommandProblem, telling } from '../command-problem.ts'
import { ask } from '../control/ask.ts'
import { type FolderFlags, folderOf } from '../control/status.ts'
import { duration, ProgressLine, Speed } from '../progress-line.ts'

const terminalEveryMs = 300
const linesEveryMs = 5_000
const speedWindowMs = 20_000

export const upgradeStores = (flags: FolderFlags): Promise<void> =>
  telling(async () => {
    const folder = await folderOf(flags)
    const begun = await told(folder, 'vector-stores.upgrade')
    if (begun.length === 0) {
      console.log('Every vector store is of the embedding model that is used now.')
      return
    }
    const line = new ProgressLine(process.stderr)
    line.note(`${counted(begun.length, 'vector store')} to embed again; Ctrl-C leaves it running`)
    const left = await follow(folder, begun, line)
    for (const { id, problem } of left) console.log(`${id}: ${problem}`)
    const done = begun.length - left.length
    if (done > 0) console.log(`${counted(done, 'vector store')} embedded again in full.`)
    if (left.length > 0) process.exitCode = 1
  })

/** Returns those that cannot go on, once nothing else is left. */
async function follow(folder: string, begun: readonly StoreUpgrade[], line: ProgressLine): Promise<StoreUpgrade[]> {
  const chunks = begun.reduce((sum, { total }) => sum + total, 0)
  const speed = new Speed(speedWindowMs)
  for (let open = begun; ; open = await told(folder, 'vector-stores.upgrades')) {
    const going = open.filter(({ problem }) => problem === undefined)
    const left = open.reduce((sum, { total, done }) => sum + total - done, 0)
    const done = Math.max(0, chunks - left)
    const perSecond = speed.perSecond(done, performance.now())
    if (going.length === 0) {
      line.close()
      return [...open]
    }
    const rest = perSecond > 0 ? `, about ${duration(left / perSecond)} left` : ''
    line.show(`${line.bar(done / Math.max(1, chunks))}${done} of ${chunks} chunks${rest}`)
    await setTimeout(line.isTerminal ? terminalEveryMs : linesEveryMs)
  }
}

async function told(folder: string, command: string): Promise<StoreUpgrade[]> {
  const answer = await ask<StoreUpgrade[]>(folder, command)
  if (answer === undefined) {
    throw new CommandProblem(`Atoll does not run on ${folder}. Start it with ./atoll up --detach, then try again.`)
  }
  return answer
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

// What a model can do besides what it was taught: the sets of `./atoll bench model`, as one number.
import type { Asked } from '../model/ask.ts'
import { evenly } from '../model/evenly.ts'
import { extraction, reading, toolCalls } from '../model/sets.ts'
import { share } from './share.ts'

const casesOfASet = 40

/** The mean of the sets, in points of 100. */
export async function generalScore(server: Asked): Promise<number> {
  const sets = [...toolCalls(server), ...reading(server), extraction(server)]
  let sum = 0
  for (const { cases, isFault = false } of sets) {
    const right = await share(evenly(cases, casesOfASet), async (ask) => (await ask()).right)
    sum += isFault ? 1 - right : right
  }
  return (100 * sum) / sets.length
}

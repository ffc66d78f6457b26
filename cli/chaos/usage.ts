// What the group has counted, by the tokens of answers: no less than was acknowledged, no more than the model gave. The
// number of calls would not do: one that its caller leaves is counted for its prompt, whether the model was asked or not.
// A stream that is cut between its last piece and its figures is counted by its pieces: half an answer of the stub's.
import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, insist } from './caller.ts'
import { tokensPerAnswer } from './stub-model.ts'

const patienceMs = 60_000
const lookMs = 500
const dayMs = 24 * 3600 * 1000

interface Page {
  data: { results: { output_tokens: number }[] }[]
}

interface Counted {
  counted: number
  isRight: boolean
}

export async function checkUsage(admin: Caller, least: number, most: () => number): Promise<Counted> {
  const start = Math.floor((Date.now() - dayMs) / 1000)
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const path = `/v1/organization/usage/completions?start_time=${start}&bucket_width=1d`
    const { data } = await insist(() => admin.ask<Page>('GET', path), patienceMs)
    const tokens = data.flatMap(({ results }) => results).reduce((sum, one) => sum + one.output_tokens, 0)
    const counted = tokens / tokensPerAnswer
    const isRight = counted >= least && counted <= most()
    // Journals of nodes that were killed are read at their next start.
    if (isRight || performance.now() > giveUpAt) return { counted, isRight }
    await pause(lookMs)
  }
}

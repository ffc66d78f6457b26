// What the group has counted: no less than was acknowledged, no more than the model was asked for.
import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './caller.ts'

const patienceMs = 60_000
const lookMs = 500
const dayMs = 24 * 3600 * 1000

interface Page {
  data: { results: { num_model_requests: number }[] }[]
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
    const { data } = await admin.ask<Page>('GET', path)
    const counted = data.flatMap(({ results }) => results).reduce((sum, one) => sum + one.num_model_requests, 0)
    const isRight = counted >= least && counted <= most()
    // Journals of nodes that were killed are read at their next start.
    if (isRight || performance.now() > giveUpAt) return { counted, isRight }
    await pause(lookMs)
  }
}

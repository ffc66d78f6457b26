// A hundred runs at once: none fails, and none gets much less than the others.
import { median } from '../measure.ts'
import type { AssistantsClient } from './client.ts'
import { now, questions } from './clock.ts'
import { rounds } from './figures.ts'

const runsAtOnce = 100
/** What the model says in each run. */
const pieces = 40
const modelSeconds = 1

interface Round {
  failed: number
  firstMs: number
  medianMs: number
  lastMs: number
  /** What the slowest had got of its answer when the first was complete. */
  leastShare: number
}

export async function showManyRuns(client: AssistantsClient): Promise<void> {
  const assistantId = await client.create('/assistants', { model: 'stub' })
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) all.push(await runRound(client, assistantId))
  const of = (field: keyof Round): number => median(all.map((round) => round[field]))
  const failed = all.reduce((sum, round) => sum + round.failed, 0)
  console.log(`  ${runsAtOnce} runs at once, a model that speaks for ${modelSeconds} s in each, ${rounds} rounds`)
  console.log(`  failed: ${failed} of ${runsAtOnce * rounds} (goal 0)`)
  console.log(
    `  completed after ${of('firstMs').toFixed(0)} ms the first, ${of('medianMs').toFixed(0)} ms the median, ${of('lastMs').toFixed(0)} ms the last; last / median ${(of('lastMs') / of('medianMs')).toFixed(2)}`,
  )
  console.log(`  when the first was complete, the one furthest behind had ${(of('leastShare') * 100).toFixed(0)} %`)
}

async function runRound(client: AssistantsClient, assistantId: string): Promise<Round> {
  const threads: string[] = []
  for (let index = 0; index < runsAtOnce; index++) threads.push(await client.ask(questions.slow))
  const began = now()
  const arrived = await Promise.all(threads.map((id) => arrivals(client, id, assistantId)))
  const complete = arrived.flatMap(({ completedAt }) => (completedAt === undefined ? [] : [completedAt - began]))
  const firstMs = Math.min(...complete)
  const shares = arrived.map(({ deltas }) => deltas.filter((at) => at - began <= firstMs).length / pieces)
  return {
    failed: arrived.length - complete.length,
    firstMs,
    medianMs: median(complete),
    lastMs: Math.max(...complete),
    leastShare: Math.min(...shares),
  }
}

async function arrivals(
  client: AssistantsClient,
  threadId: string,
  assistantId: string,
): Promise<{ deltas: number[]; completedAt: number | undefined }> {
  const deltas: number[] = []
  let completedAt: number | undefined
  for await (const { event, at } of client.run(threadId, assistantId)) {
    if (event === 'thread.message.delta') deltas.push(at)
    if (event === 'thread.run.completed') completedAt = at
  }
  return { deltas, completedAt }
}

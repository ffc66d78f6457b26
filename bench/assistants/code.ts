// The code interpreter in a run: how old the model's call is when the first output of its code arrives.
import type { AssistantsClient } from './client.ts'
import { questions } from './clock.ts'
import { ms, rounds, shown } from './figures.ts'

const runsPerRound = 10
const firstOutputGoalMs = 150

export async function showCode(client: AssistantsClient): Promise<void> {
  const assistantId = await client.create('/assistants', { model: 'stub', tools: [{ type: 'code_interpreter' }] })
  const threadId = await client.create('/threads', {})
  const cold = await firstOutputMs(client, threadId, assistantId)
  const all: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const times: number[] = []
    while (times.length < runsPerRound) times.push(await firstOutputMs(client, threadId, assistantId))
    all.push(times)
  }
  console.log(`  Code in a run, from the model's call to its first output, ${rounds} rounds of ${runsPerRound}`)
  console.log(`  a session that is there: ${shown(all)} (goal ${firstOutputGoalMs}); the first ever: ${ms(cold)}`)
}

/** The code prints when it was written. */
async function firstOutputMs(client: AssistantsClient, threadId: string, assistantId: string): Promise<number> {
  const additional_messages = [{ role: 'user', content: questions.code }]
  let outputAge = Number.NaN
  for await (const { event, data, at } of client.run(threadId, assistantId, { additional_messages })) {
    if (event === 'thread.run.failed') throw new Error(data)
    if (event !== 'thread.run.step.delta' || !Number.isNaN(outputAge)) continue
    const logs = JSON.parse(data).delta.step_details.tool_calls[0].code_interpreter?.outputs?.[0]?.logs as
      | string
      | undefined
    if (logs !== undefined) outputAge = at - Number(logs.trim())
  }
  if (Number.isNaN(outputAge)) throw new Error('The code printed nothing.')
  return outputAge
}

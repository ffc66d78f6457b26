// What a run costs besides its model, and how old the model's first words are when they arrive: streamed over a socket,
// one run after the other, each on a thread of its own.
import type { ChildProcess } from 'node:child_process'
import { cpuSeconds } from '../atoll-server.ts'
import { median } from '../measure.ts'
import type { AssistantsClient, TimedEvent } from './client.ts'
import { now, questions } from './clock.ts'
import { ms, rounds, shown } from './figures.ts'

const runsPerRound = 60
const warmUpRuns = 60
const goals = { overheadMs: 9, firstDeltaMs: 5 }

interface Timed {
  overheadMs: number
  firstDeltaMs: number
}

type Contender = (question: string) => Promise<Timed>

export async function showOverhead(client: AssistantsClient, server: ChildProcess): Promise<void> {
  const assistantId = await client.create('/assistants', { model: 'stub' })
  const run = runs(client, assistantId)
  const chat = chats(client)
  for (const [name, question] of [
    ['a model that answers at once', questions.atOnce],
    ['a model that thinks for 20 ms', questions.thinking],
  ] as const) {
    const [ofRuns, ofChats, commits]: [Timed[][], Timed[][], number[][]] = [[], [], []]
    const cpu: number[] = []
    await times(warmUpRuns, () => run(question))
    await times(warmUpRuns, () => chat(question))
    for (let round = 0; round < rounds; round++) {
      const before = cpuSeconds(server)
      ofRuns.push(await times(runsPerRound, () => run(question)))
      cpu.push(((cpuSeconds(server) - before) / runsPerRound) * 1000)
      ofChats.push(await times(runsPerRound, () => chat(question)))
      commits.push(await times(runsPerRound, () => oneCommit(client)))
    }
    console.log(`  Runs of ${name}, ${rounds} rounds of ${runsPerRound}, one after the other`)
    console.log(`  created to completed, over the model's own time: ${overhead(ofRuns)} (goal p50 ${goals.overheadMs})`)
    console.log(`  first delta after the model's first token: ${first(ofRuns)} (goal ${goals.firstDeltaMs})`)
    console.log(`  CPU of the server: ${ms(median(cpu))} for a run and its thread`)
    console.log(
      `  for comparison, the same by /v1/chat/completions: ${overhead(ofChats)}; first delta ${first(ofChats)}`,
    )
    console.log(`  for comparison, a request with one commit (a new thread): ${shown(commits)}`)
  }
}

const overhead = (all: readonly Timed[][]): string => shown(all.map((round) => round.map((one) => one.overheadMs)))
const first = (all: readonly Timed[][]): string => shown(all.map((round) => round.map((one) => one.firstDeltaMs)))

function runs(client: AssistantsClient, assistantId: string): Contender {
  return async (question) => {
    const threadId = await client.ask(question)
    const began = now()
    return timed(client.run(threadId, assistantId), began, runText, ({ event }) => event === 'thread.run.completed')
  }
}

function chats(client: AssistantsClient): Contender {
  return (content) => {
    const body = { model: 'stub', messages: [{ role: 'user', content }] }
    return timed(client.events('/chat/completions', body), now(), chatText, ({ data }) => data === '[DONE]')
  }
}

/** The model has written down when it was asked, when it began and when it had ended. */
async function timed(
  events: AsyncIterable<TimedEvent>,
  began: number,
  textOf: (event: TimedEvent) => string,
  isEnd: (event: TimedEvent) => boolean,
): Promise<Timed> {
  let text = ''
  let [firstAt, endedAt] = [Number.NaN, Number.NaN]
  for await (const event of events) {
    const piece = textOf(event)
    if (text === '' && piece !== '') firstAt = event.at
    text += piece
    if (isEnd(event)) endedAt = event.at
  }
  const [, asked, spoke, ended] = (/^([\d.]+) ([\d.]+) .* ([\d.]+)$/.exec(text) ?? []).map(Number)
  if (asked === undefined || spoke === undefined || ended === undefined || Number.isNaN(endedAt)) {
    throw new Error(`Not the whole answer: ${text}`)
  }
  return { overheadMs: endedAt - began - (ended - asked), firstDeltaMs: firstAt - spoke }
}

function runText({ event, data }: TimedEvent): string {
  return event === 'thread.message.delta' ? (JSON.parse(data).delta.content[0].text.value as string) : ''
}

function chatText({ data }: TimedEvent): string {
  return data === '[DONE]' ? '' : ((JSON.parse(data).choices[0]?.delta.content as string | undefined) ?? '')
}

async function oneCommit(client: AssistantsClient): Promise<number> {
  const began = now()
  await client.ask('Hello')
  return now() - began
}

async function times<Result>(count: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let done = 0; done < count; done++) results.push(await work())
  return results
}

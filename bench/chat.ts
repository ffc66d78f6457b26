// The built-in chat runtime over HTTP, against a bare loop of node-llama-cpp on the same file.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { bareLoop } from './chat-bare-loop.ts'
import { type Measured, streamChat } from './chat-client.ts'
import { median, spreadPercent } from './measure.ts'

const rounds = 3
const answerTokens = 128
const streams = 8
const goals = { one: 0.9, eightLeast: 1, eight: 2, cached: 0.2, modelsMs: 20 }
/** As large as the built-in model will be. */
const shape = { layers: 12, width: 512, heads: 8, vocabulary: 16_384, contextLength: 2_048 }

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-chat-'))
  const file = join(folder, 'random.gguf')
  writeRandomModel(file, shape)
  const server = await spawnServer(['--model', file])
  try {
    await streamChat(server, { words: 1, maxTokens: 1 }) // loads the model
    const one = await compareOneStream(server, file)
    await compareManyStreams(server, one)
    await comparePrefix(server)
    await comparePrediction(server)
    await answerWhileBusy(server)
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compareOneStream(server: AtollServer, file: string): Promise<number> {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(rate(await streamChat(server, { words: 5, maxTokens: answerTokens })))
    theirs.push(await bareLoop(file, answerTokens))
  }
  console.log(`One stream of ${answerTokens} tokens, ${rounds} rounds, alternating`)
  console.log(`  atoll over HTTP ${shown(ours)}, bare node-llama-cpp ${shown(theirs)}`)
  console.log(`  ratio ${(median(ours) / median(theirs)).toFixed(2)} (goal ${goals.one})`)
  return median(ours)
}

async function compareManyStreams(server: AtollServer, one: number): Promise<void> {
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const all = await Promise.all(
      Array.from({ length: streams }, (_, index) => streamChat(server, { words: 5 + index, maxTokens: answerTokens })),
    )
    const seconds =
      (Math.max(...all.map(({ endedAt }) => endedAt)) - Math.min(...all.map(({ firstAt }) => firstAt))) / 1000
    rates.push(all.reduce((sum, { tokens }) => sum + tokens, 0) / seconds)
  }
  console.log(`${streams} streams at the same time`)
  console.log(`  together ${shown(rates)}: ${(median(rates) / one).toFixed(2)} times one stream`)
  console.log(`  (goal ${goals.eight} where the cores allow it, never below ${goals.eightLeast})`)
}

/** About 1,000 tokens that were computed before, against 1,000 that were not. */
async function comparePrefix(server: AtollServer): Promise<void> {
  const fresh: number[] = []
  const cached: number[] = []
  for (let round = 0; round < rounds; round++) {
    const words = 500
    const begin = `${round} `
    fresh.push(firstMs(await streamChat(server, { begin, words, maxTokens: 2 })))
    const again = await streamChat(server, { begin, words, end: ' and more', maxTokens: 2 })
    if (again.cachedTokens < 900) throw new Error(`only ${again.cachedTokens} tokens came from the cache`)
    cached.push(firstMs(again))
  }
  console.log('Time to the first token of a prompt of about 1,000 tokens')
  console.log(`  new ${ms(fresh)}, known but for its end ${ms(cached)}`)
  console.log(`  ratio ${(median(cached) / median(fresh)).toFixed(3)} (goal at most ${goals.cached})`)
}

/** An answer that was predicted word for word, against the same answer without. */
async function comparePrediction(server: AtollServer): Promise<void> {
  const plain: number[] = []
  const predicted: number[] = []
  for (let round = 0; round < rounds; round++) {
    const chat = { begin: `${round} `, words: 5, maxTokens: answerTokens, greedy: true }
    const first = await streamChat(server, chat)
    plain.push(rate(first))
    predicted.push(rate(await streamChat(server, { ...chat, prediction: first.text })))
  }
  console.log('A predicted answer')
  console.log(`  without the prediction ${shown(plain)}, with it ${shown(predicted)}`)
  console.log(`  ${(median(predicted) / median(plain)).toFixed(1)} times as fast`)
}

async function answerWhileBusy(server: AtollServer): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}` }
  let busy = true
  const load = Promise.all(
    Array.from({ length: streams }, (_, index) => streamChat(server, { words: 50 + index, maxTokens: 400 })),
  ).finally(() => {
    busy = false
  })
  const times: number[] = []
  while (busy) {
    const from = performance.now()
    await (await fetch(`${server.url}/v1/models`, { headers })).arrayBuffer()
    times.push(performance.now() - from)
  }
  await load
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
  console.log(`GET /v1/models while ${streams} streams keep the cores busy: ${times.length} requests`)
  console.log(`  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (goal under ${goals.modelsMs})`)
}

/** Without the first token, which the prompt pays for. */
const rate = ({ tokens, firstAt, endedAt }: Measured): number => ((tokens - 1) / (endedAt - firstAt)) * 1000
const firstMs = ({ startedAt, firstAt }: Measured): number => firstAt - startedAt
const shown = (rates: number[]): string => `${median(rates).toFixed(0)} tokens/s ±${spreadPercent(rates)}%`
const ms = (times: number[]): string => `${median(times).toFixed(0)} ms ±${spreadPercent(times)}%`

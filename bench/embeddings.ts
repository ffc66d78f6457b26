// The built-in embeddings: tokens a second on one core, beside the same model read in the plainest way; one short text
// through the API beside a bare request; memory; and what other requests feel of a large one.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadTables } from '@atoll/models/builtin/embeddings/tables'
import { TextReader } from '@atoll/models/builtin/embeddings/text-reader'
import { type AtollServer, cpuSeconds, peakBytes, resetPeak, residentBytes, spawnServer } from './atoll-server.ts'
import { median, spreadPercent } from './measure.ts'
import { realSentences } from './vector-data.ts'

const rounds = 5
const goals = { tokensPerSecond: 200_000, shortMs: 1.5, megabytes: 60 }
const shortRequests = 500
const pollMs = 25

/** 256 texts of 20 sentences each. */
const texts = (() => {
  const sentences = realSentences(2_000)
  const pick = (at: number): string => sentences[(at * 7919) % sentences.length] ?? ''
  return Array.from({ length: 256 }, (_, text) => Array.from({ length: 20 }, (_, at) => pick(text * 20 + at)).join(' '))
})()

export async function bench(): Promise<void> {
  const tokens = await benchReader()
  const atoll = await spawnServer()
  try {
    await benchShort(atoll)
    await benchLarge(atoll, tokens)
  } finally {
    await atoll.close()
  }
}

/** On one core, without a server; tells how many tokens the texts have. */
async function benchReader(): Promise<number> {
  const reader = new TextReader(await loadTables())
  const bare = fork(fileURLToPath(new URL('./embeddings-bare-process.ts', import.meta.url)))
  const [ours, theirs]: [number[], number[]] = [[], []]
  let tokens = 0
  for (let round = 0; round <= rounds; round++) {
    const startedAt = process.cpuUsage()
    tokens = texts.reduce((sum, text) => sum + reader.read(text).tokens, 0)
    const { user, system } = process.cpuUsage(startedAt)
    const seconds = (user + system) / 1e6
    const plain = await embedBare(bare)
    // The first is for warming up.
    if (round === 0) continue
    ours.push(tokens / seconds)
    theirs.push(tokens / plain)
  }
  bare.disconnect()
  console.log(
    `  ${texts.length} texts, ${tokens} tokens, ${rounds} rounds, alternating; by processor time, so on one core`,
  )
  console.log(
    `  read and counted ${shown(ours)} (goal ${thousands(goals.tokensPerSecond)}); plainest way ${shown(theirs)}`,
  )
  console.log(`  ratio ${(median(ours) / median(theirs)).toFixed(2)}`)
  return tokens
}

async function embedBare(child: ChildProcess): Promise<number> {
  child.send(texts)
  const [{ seconds, vectors }] = await once(child, 'message')
  if (vectors !== texts.length) throw new Error(`The plain loop gave ${vectors} vectors.`)
  return seconds
}

async function benchShort(atoll: AtollServer): Promise<void> {
  // A server that has answered some has made what any request needs.
  for (let at = 0; at < shortRequests; at++) await get(atoll, '/v1/models')
  const before = residentBytes(atoll.process)
  const [ours, bare]: [number[], number[]] = [[], []]
  const startedAt = performance.now()
  await embed(atoll, 'load')
  const loadMs = performance.now() - startedAt
  const loaded = residentBytes(atoll.process) - before
  for (let at = 0; at < shortRequests; at++) {
    bare.push(await timed(() => get(atoll, '/v1/models')))
    ours.push(await timed(() => embed(atoll, texts[at % texts.length]?.slice(0, 100) ?? '')))
  }
  console.log(`  one text of 100 letters: p50 ${at(ours, 0.5)} ms (goal ${goals.shortMs}), p99 ${at(ours, 0.99)} ms;`)
  console.log(`  GET /v1/models beside it p50 ${at(bare, 0.5)} ms; the first embedding ${loadMs.toFixed(0)} ms`)
  console.log(`  memory with the model: ${megabytes(loaded)} MB more (goal ${goals.megabytes})`)
}

async function benchLarge(atoll: AtollServer, tokens: number): Promise<void> {
  await embed(atoll, texts)
  resetPeak(atoll.process)
  const cpu = cpuSeconds(atoll.process)
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) rates.push(tokens / ((await timed(() => embed(atoll, texts))) / 1000))
  const cpuRate = (tokens * rounds) / (cpuSeconds(atoll.process) - cpu)
  console.log(`  all in one request ${shown(rates)}, ${thousands(cpuRate)} tokens a second of processor time`)
  const waits: number[] = []
  let going = true
  const measuring = (async () => {
    for (; going; await setTimeout(pollMs)) waits.push(await timed(() => get(atoll, '/v1/models')))
  })()
  for (let round = 0; round < rounds; round++) await embed(atoll, texts, 'float')
  going = false
  await measuring
  console.log(`  GET /v1/models meanwhile: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms of ${waits.length}`)
  console.log(`  peak memory of the server ${megabytes(peakBytes(atoll.process))} MB`)
}

/** In the encoding that the clients ask for by themselves, unless told. */
async function embed(atoll: AtollServer, input: string | string[], format = 'base64'): Promise<void> {
  const response = await fetch(`${atoll.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${atoll.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'text-embedding-3-small', input, encoding_format: format }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`Atoll answered ${response.status}: ${text.slice(0, 500)}`)
}

async function get(atoll: AtollServer, path: string): Promise<void> {
  await (await fetch(atoll.url + path, { headers: { authorization: `Bearer ${atoll.apiKey}` } })).arrayBuffer()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const thousands = (rate: number): string => `${Math.round(rate / 1000)},000`
const shown = (rates: number[]): string => `${thousands(median(rates))} tokens/s ±${spreadPercent(rates)} %`
const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

function at(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
}

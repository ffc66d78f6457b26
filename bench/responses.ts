// Responses against chat completions on the same server, before a model server that does no work: whole, stored, streamed, in a chain.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { median } from './measure.ts'
import { writeUpstreamConfig } from './upstream-config.ts'
import { startStub } from './upstream-stub.ts'

const rounds = 3
const perRound = 300
const warmUp = 600
const chainTurns = 100
const goals = { ratio: 1.2, storedMs: 6, firstDeltaMs: 1, chain: 1.5 }

export async function bench(): Promise<void> {
  const stub = await startStub()
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-responses-'))
  let atoll: AtollServer | undefined
  try {
    atoll = await spawnServer(['--config', await writeUpstreamConfig(folder, stub.url)])
    const ask = asker(atoll)
    for (const kind of kinds) await times(warmUp, () => ask(kind.path, kind.body))
    await compareWhole(ask)
    await compareFirstDelta(ask)
    await compareChain(ask)
  } finally {
    await atoll?.close()
    await stub.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const text = 'Tell me about the sea.'
const chat = { path: '/chat/completions', body: { model: 'stub', messages: [{ role: 'user', content: text }] } }
const stateless = { path: '/responses', body: { model: 'stub', input: text, store: false } }
const stored = { path: '/responses', body: { model: 'stub', input: text } }
const kinds = [chat, stateless, stored]

type Ask = (path: string, body: object, firstMark?: string) => Promise<{ ms: number; id: string }>

/** `firstMark`: the time until this is read of a stream. */
function asker({ url, apiKey }: AtollServer): Ask {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return async (path, body, firstMark) => {
    const startedAt = performance.now()
    const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (firstMark === undefined) {
      const { id } = (await response.json()) as { id: string }
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
      return { ms: performance.now() - startedAt, id }
    }
    let read = ''
    let ms = Number.NaN
    for await (const piece of response.body ?? []) {
      read += Buffer.from(piece).toString('latin1')
      if (Number.isNaN(ms) && read.includes(firstMark)) ms = performance.now() - startedAt
    }
    if (Number.isNaN(ms)) throw new Error(`${path} said nothing: ${read.slice(0, 300)}`)
    return { ms, id: '' }
  }
}

async function times(count: number, once: () => Promise<{ ms: number }>): Promise<number> {
  const all: number[] = []
  for (let done = 0; done < count; done++) all.push((await once()).ms)
  return median(all)
}

async function compareWhole(ask: Ask): Promise<void> {
  const found: number[][] = kinds.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, { path, body }] of kinds.entries()) found[at]?.push(await times(perRound, () => ask(path, body)))
  }
  const [chatMs = 0, statelessMs = 0, storedMs = 0] = found.map(median)
  console.log(`One after the other, ${rounds} rounds of ${perRound} each, alternating, p50`)
  console.log(`  chat ${shown(chatMs)}, a stateless response ${shown(statelessMs)}, a stored one ${shown(storedMs)}`)
  console.log(`  stateless: ${(statelessMs / chatMs).toFixed(2)} times chat (goal at most ${goals.ratio})`)
  console.log(`  stored: ${shown(storedMs)} (goal at most ${goals.storedMs} ms)`)
}

async function compareFirstDelta(ask: Ask): Promise<void> {
  const marks = ['"delta":{"content":', 'response.output_text.delta']
  const found: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [at, { path, body }] of [chat, stateless].entries()) {
      found[at]?.push(await times(perRound, () => ask(path, { ...body, stream: true }, marks[at])))
    }
  }
  const [chatMs = 0, responsesMs = 0] = found.map(median)
  console.log(`Time to the first words of a stream, p50`)
  console.log(`  chat ${shown(chatMs)}, responses ${shown(responsesMs)}`)
  console.log(`  later by ${shown(responsesMs - chatMs)} (goal at most ${goals.firstDeltaMs} ms)`)
}

async function compareChain(ask: Ask): Promise<void> {
  const firsts: number[] = []
  const lasts: number[] = []
  for (let round = 0; round < rounds; round++) {
    let previous: string | undefined
    for (let turn = 0; turn < chainTurns; turn++) {
      const body: object = { ...stored.body, ...(previous === undefined ? {} : { previous_response_id: previous }) }
      const { ms, id } = await ask(stored.path, body)
      if (turn < 10) firsts.push(ms)
      if (turn >= chainTurns - 10) lasts.push(ms)
      previous = id
    }
  }
  const [first, last] = [median(firsts), median(lasts)]
  console.log(`A chain of ${chainTurns} stored turns, ${rounds} rounds, p50 of the first and the last ten`)
  console.log(
    `  ${shown(first)}, then ${shown(last)}: ${(last / first).toFixed(2)} times (goal at most ${goals.chain})`,
  )
}

const shown = (ms: number): string => `${ms.toFixed(2)} ms`

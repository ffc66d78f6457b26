// Chat completions through the upstream runtime, against the bare model server behind it and against another gateway.
// needs: wrk
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { firstTokenMs } from './first-token.ts'
import { median, requireWrk, spreadPercent } from './measure.ts'
import { startGateway } from './portkey-gateway.ts'
import { postLoad, type Target } from './post-load.ts'
import { writeUpstreamConfig } from './upstream-config.ts'
import { startStub } from './upstream-stub.ts'

const rounds = 3
const seconds = 4
/** Until all code is compiled for good, also where others use the machine. */
const warmUpSeconds = 10
const manyConnections = 64
const streamsPerRound = 500

const goals = { addedMs: 0.5, ofStub: 0.2, ofPeer: 10, addedFirstTokenMs: 0.5 }

interface Contender {
  name: string
  /** Ends in /v1. */
  url: string
  headers: Readonly<Record<string, string>>
}

export async function bench(): Promise<void> {
  requireWrk()
  const stub = await startStub()
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-upstream-'))
  let atoll: AtollServer | undefined
  try {
    atoll = await spawnServer(['--config', await writeUpstreamConfig(folder, stub.url)])
    const bare = { name: 'the bare server', url: stub.url, headers: { authorization: 'Bearer none' } }
    const ours = { name: 'atoll', url: `${atoll.url}/v1`, headers: { authorization: `Bearer ${atoll.apiKey}` } }
    for (const more of [{}, { stream: true }]) for (const contender of [bare, ours]) await warmUp(contender, more)
    await measureOneConnection(bare, ours)
    await measureFirstToken(bare, ours)
    await measureMany(bare, ours, stub.url)
  } finally {
    await atoll?.close()
    await stub.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureOneConnection(bare: Contender, ours: Contender): Promise<void> {
  const [direct = [], through = []] = await inTurn([bare, ours], async (contender) => {
    const { medianMs } = await postLoad(target(contender), 1, seconds)
    return medianMs
  })
  const added = median(through) - median(direct)
  console.log(`One connection, ${rounds} rounds of ${seconds} s each, alternating, p50`)
  console.log(`  the bare server ${milliseconds(direct)}, through atoll ${milliseconds(through)}`)
  console.log(`  added ${added.toFixed(3)} ms (goal under ${goals.addedMs})`)
}

async function measureFirstToken(bare: Contender, ours: Contender): Promise<void> {
  const [direct = [], through = []] = await inTurn([bare, ours], (contender) =>
    firstTokenMs(target(contender, { stream: true }), streamsPerRound),
  )
  const added = median(through) - median(direct)
  console.log(`Time to first token, ${rounds} rounds of ${streamsPerRound} streams each, alternating, p50`)
  console.log(`  the bare server ${milliseconds(direct)}, through atoll ${milliseconds(through)}`)
  console.log(`  added ${added.toFixed(3)} ms (goal under ${goals.addedFirstTokenMs})`)
}

async function measureMany(bare: Contender, ours: Contender, upstream: string): Promise<void> {
  const peer = await startGateway(upstream).catch((error: Error) => {
    console.log(`  the comparison with another gateway is left out: ${error.message}`)
    return undefined
  })
  try {
    if (peer) await warmUp(peer)
    const contenders = peer ? [bare, ours, peer] : [bare, ours]
    const [direct = [], through = [], theirs] = await inTurn(contenders, async (contender) => {
      const { perSecond } = await postLoad(target(contender), manyConnections, seconds)
      return perSecond
    })
    console.log(`${manyConnections} connections, ${rounds} rounds of ${seconds} s each, alternating`)
    console.log(`  atoll ${rates(through)}`)
    console.log(`  the bare server ${rates(direct)}; ratio ${ratio(through, direct)} (goal at least ${goals.ofStub})`)
    if (!peer || !theirs) return
    console.log(`  ${peer.name} ${rates(theirs)}; ratio ${ratio(through, theirs)} (goal at least ${goals.ofPeer})`)
  } finally {
    await peer?.close()
  }
}

/** All contenders meet the same state of the machine. */
async function inTurn(
  contenders: readonly Contender[],
  measure: (contender: Contender) => Promise<number>,
): Promise<number[][]> {
  const figures = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, contender] of contenders.entries()) figures[at]?.push(await measure(contender))
  }
  return figures
}

/** Also tells what is wrong when it does not answer at all. */
async function warmUp(contender: Contender, more: object = {}): Promise<void> {
  const { url, headers, body } = target(contender, more)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  if (!response.ok) throw new Error(`${contender.name} answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  await postLoad(target(contender, more), manyConnections, warmUpSeconds)
}

function target({ url, headers }: Contender, more: object = {}): Target {
  const body = { model: 'stub', messages: [{ role: 'user', content: 'Hello there, how are you today?' }], ...more }
  return { url: `${url}/chat/completions`, headers, body: JSON.stringify(body) }
}

const milliseconds = (values: number[]): string => `${median(values).toFixed(3)} ms ±${spreadPercent(values)}%`
const rates = (values: number[]): string => `${Math.round(median(values))}/s ±${spreadPercent(values)}%`
const ratio = (ours: number[], theirs: number[]): string => (median(ours) / median(theirs)).toFixed(2)

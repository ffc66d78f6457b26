// 2048 texts in one POST /v1/embeddings, against the bare library on the same texts; memory and /v1/models meanwhile.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AtollServer, cpuSeconds, peakBytes, resetPeak, residentBytes, spawnServer } from './atoll-server.ts'
import { median, spreadPercent } from './measure.ts'

const rounds = 3
const inputs = 2048
const goal = 0.9
const pollMs = 25

const subjects = ['The cat', 'A customer', 'Our team', 'The new engine', 'My sister', 'The museum', 'Nobody', 'A river']
const verbs = ['found', 'opened', 'likes', 'forgot', 'repaired', 'painted', 'wants', 'passes']
const objects = ['the old door', 'a red bicycle', 'the invoice', 'fresh bread', 'a letter', 'the garden', 'music', 'it']

/** No two alike, from 3 to 8 words. */
const texts = Array.from({ length: inputs }, (_, index) => {
  const [subject, verb, object] = [subjects[index % 8], verbs[(index >> 3) % 8], objects[(index >> 6) % 8]]
  return `${subject} ${verb} ${object}${index >= 512 ? ` ${['today', 'again', 'at last'][(index >> 9) - 1]}` : ''}`
})

export async function bench(): Promise<void> {
  const atoll = await spawnServer()
  const bare = await startBare()
  try {
    await embedAtAtoll(atoll, texts.slice(0, 64)) // loads the model
    await embedBare(bare, texts.slice(0, 64))
    const model = childrenOf(atoll.process)
    for (const child of [atoll.process, model, bare]) resetPeak(child)
    const idle = residentBytes(atoll.process)
    const before = [model, bare].map(cpuSeconds)
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < rounds; round++) {
      theirs.push(inputs / (await embedBare(bare, texts)))
      ours.push(inputs / (await embedAtAtoll(atoll, texts)))
    }
    console.log(`  ${inputs} texts of 3 to 8 words, ${rounds} rounds, alternating`)
    console.log(`  bare library ${shown(theirs)}; atoll, one request ${shown(ours)}`)
    console.log(`  ratio ${(median(ours) / median(theirs)).toFixed(2)} (goal ${goal})`)
    const [modelCpu = 0, bareCpu = 0] = [model, bare].map((child, at) => cpuSeconds(child) - (before[at] ?? 0))
    const waits: number[] = []
    const measuring = measureWaits(atoll, waits)
    const asNumbers = inputs / (await embedAtAtoll(atoll, texts, 'float'))
    await measuring.stop()
    console.log(`  once with numbers as text, and other requests meanwhile: ${asNumbers.toFixed(1)}/s`)
    console.log(
      `  CPU time: model ${perText(modelCpu)}, bare ${perText(bareCpu)}; ratio ${(bareCpu / modelCpu).toFixed(2)}`,
    )
    const peaks = [atoll.process, model, bare].map((child) => megabytes(peakBytes(child)))
    console.log(
      `  peak memory: server ${peaks[0]} MB (${megabytes(idle)} MB before), model ${peaks[1]} MB; bare ${peaks[2]} MB`,
    )
    console.log(`  GET /v1/models meanwhile: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms of ${waits.length}`)
  } finally {
    bare.disconnect()
    await atoll.close()
  }
}

async function startBare(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./embeddings-bare-process.ts', import.meta.url)))
  await once(child, 'spawn')
  return child
}

/** Seconds. */
async function embedBare(child: ChildProcess, batch: string[]): Promise<number> {
  child.send(batch)
  const [{ seconds, vectors }] = await once(child, 'message')
  if (vectors !== batch.length) throw new Error(`The library gave ${vectors} vectors.`)
  return seconds
}

/** Seconds until the last byte is here. In the encoding that the clients ask for by themselves, unless told. */
async function embedAtAtoll(atoll: AtollServer, batch: string[], format = 'base64'): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${atoll.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${atoll.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'text-embedding-3-small', input: batch, encoding_format: format }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const seconds = (performance.now() - startedAt) / 1000
  const vectors = response.ok ? JSON.parse(bytes.toString()).data.length : 0
  if (vectors !== batch.length) throw new Error(`Atoll answered ${response.status}: ${bytes.toString('utf8', 0, 500)}`)
  return seconds
}

function measureWaits(atoll: AtollServer, waits: number[]): { stop(): Promise<void> } {
  let going = true
  const loop = async (): Promise<void> => {
    while (going) {
      const startedAt = performance.now()
      const response = await fetch(`${atoll.url}/v1/models`, { headers: { authorization: `Bearer ${atoll.apiKey}` } })
      await response.arrayBuffer()
      waits.push(performance.now() - startedAt)
      await setTimeout(pollMs)
    }
  }
  const running = loop()
  return {
    stop() {
      going = false
      return running
    },
  }
}

/** The only child of the server is the model's process. */
function childrenOf({ pid }: ChildProcess): ChildProcess {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  if (!child) throw new Error('The server has started no model process.')
  return { pid: Number(child) } as ChildProcess
}

const shown = (rates: number[]): string => `${median(rates).toFixed(1)}/s ±${spreadPercent(rates)}%`
const perText = (seconds: number): string => `${((seconds * 1000) / rounds / inputs).toFixed(2)} ms a text`
const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

function at(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
}

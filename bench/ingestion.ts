// Ten megabytes of text into a vector store, from the upload until all is found, and searches beside it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { type CorpusFile, mixedDocuments, plainText } from './ingestion/corpora.ts'
import { median } from './measure.ts'
import { RetrievalClient } from './retrieval/client.ts'

const goals = { plain: 15, mixed: 45, search: 2 }
const idleSearches = 200
const pauseMs = 10
const pollMs = 50
const question = 'Which limits hold for files that are uploaded?'

interface Store {
  status: string
  file_counts: { failed: number }
  usage_bytes: number
}

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-'))
  const config = join(folder, 'atoll.json')
  // Ten megabytes in one file are more than a server takes as it comes.
  await writeFile(config, JSON.stringify({ platform: { vectorStores: { maxFileTokens: 10_000_000 } } }))
  const atoll = await spawnServer(['--config', config])
  try {
    const client = new RetrievalClient(atoll)
    const small = await client.fill({ files: [{ name: 'small.txt', text: question }] })
    const idle = await searchTimes(client, small.id, (done) => done < idleSearches)
    console.log(`  searches beside nothing: ${shown(idle)}`)
    await measure(atoll, client, small.id, idle, { name: '10 MB of plain text', files: plainText(), goal: goals.plain })
    const files = mixedDocuments()
    const name = `10 MB of text in ${files.length} documents (Markdown, HTML, Word, PDF, Excel)`
    await measure(atoll, client, small.id, idle, { name, files, goal: goals.mixed })
  } finally {
    await atoll.close()
    await rm(folder, { recursive: true })
  }
}

async function measure(
  atoll: AtollServer,
  client: RetrievalClient,
  searched: string,
  idle: readonly number[],
  { name, files, goal }: { name: string; files: readonly CorpusFile[]; goal: number },
): Promise<void> {
  let isDone = false
  const beside = searchTimes(client, searched, () => !isDone)
  const startedAt = performance.now()
  const stored = await ingest(atoll, client, files)
  const seconds = (performance.now() - startedAt) / 1000
  isDone = true
  const times = await beside
  const ratio = percentile(times, 0.95) / percentile(idle, 0.95)
  console.log(`  ${name}: ${seconds.toFixed(1)} s until all is found (goal ${goal} s), ${stored} MB stored`)
  console.log(`    searches beside it: ${shown(times)}; p95 ${ratio.toFixed(1)} times as long (goal ${goals.search})`)
}

/** Megabytes that are stored then. */
async function ingest(atoll: AtollServer, client: RetrievalClient, files: readonly CorpusFile[]): Promise<string> {
  const file_ids: string[] = []
  for (const { name, content } of files) {
    const form = new FormData()
    form.set('purpose', 'assistants')
    form.set('file', new Blob([content]), name)
    file_ids.push((await client.call<{ id: string }>('POST', '/files', form)).id)
  }
  const { id } = await client.call<{ id: string }>('POST', '/vector_stores', { file_ids })
  for (;;) {
    const store = await client.call<Store>('GET', `/vector_stores/${id}`)
    if (store.file_counts.failed > 0)
      throw new Error(`A file could not be read; the server's data is in ${atoll.data}.`)
    if (store.status === 'completed') {
      await client.search(id, question, 1)
      return (store.usage_bytes / 1024 ** 2).toFixed(0)
    }
    await setTimeout(pollMs)
  }
}

/** In milliseconds, one after the other. */
async function searchTimes(
  client: RetrievalClient,
  store: string,
  goesOn: (done: number) => boolean,
): Promise<number[]> {
  const times: number[] = []
  while (goesOn(times.length)) {
    const startedAt = performance.now()
    await client.search(store, question, 1)
    times.push(performance.now() - startedAt)
    await setTimeout(pauseMs)
  }
  return times
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const shown = (times: readonly number[]): string =>
  `p50 ${median(times).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`

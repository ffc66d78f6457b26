// Files into a vector store, against the bare rate at which the same server embeds the same chunks.
import { setTimeout } from 'node:timers/promises'
import { createDocuments } from '@atoll/documents/create-documents'
import { silentLog } from '@atoll/testkit/silent-log'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { median, spreadPercent } from './measure.ts'
import { realSentences } from './vector-data.ts'

const rounds = 3
const goal = 0.8
const chunkSizes = { maxTokens: 800, overlapTokens: 400 }
const inputsPerRequest = 8
const requestsAtOnce = 2
const pollMs = 20
const sentencesPerFile = { one: 600, many: 60 }
const manyFiles = 10

interface Corpus {
  name: string
  files: string[]
  chunks: string[]
}

export async function bench(): Promise<void> {
  const corpora = [
    await corpusOf('one file', 1, sentencesPerFile.one),
    await corpusOf(`${manyFiles} files`, manyFiles, sentencesPerFile.many),
  ]
  const atoll = await spawnServer()
  try {
    for (const corpus of corpora) {
      await embedAll(atoll, corpus.chunks.slice(0, inputsPerRequest)) // loads the model
      const [bare, ours]: [number[], number[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        bare.push(corpus.chunks.length / (await embedAll(atoll, corpus.chunks)))
        ours.push(corpus.chunks.length / (await ingest(atoll, corpus)))
      }
      console.log(`  ${corpus.name}, ${corpus.chunks.length} chunks of up to ${chunkSizes.maxTokens} tokens`)
      console.log(`  embedding alone ${shown(bare)}; read, embedded and stored ${shown(ours)}`)
      console.log(`  ratio ${(median(ours) / median(bare)).toFixed(2)} (goal ${goal})`)
    }
  } finally {
    await atoll.close()
  }
}

const shown = (rates: number[]): string => `${median(rates).toFixed(1)} chunks/s ±${spreadPercent(rates)} %`

async function corpusOf(name: string, count: number, sentences: number): Promise<Corpus> {
  const known = realSentences(2_000)
  const pick = (index: number): string => known[(index * 7919) % known.length] ?? ''
  const files = Array.from({ length: count }, (_, file) =>
    Array.from({ length: sentences }, (_, index) => pick(file * sentences + index)).join(' '),
  )
  const documents = createDocuments({ log: silentLog })
  const chunks: string[] = []
  for (const text of files) {
    const bytes = Buffer.from(text)
    const source = {
      filename: 'a.txt',
      bytes: bytes.length,
      read: async function* () {
        yield bytes
      },
    }
    const { signal } = new AbortController()
    for await (const chunk of documents.chunks(source, chunkSizes, { signal, turn: 'bench' })) chunks.push(chunk.text)
  }
  await documents.close()
  return { name, files, chunks }
}

/** Seconds. */
async function embedAll(atoll: AtollServer, chunks: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < chunks.length) {
      const input = chunks.slice(next, next + inputsPerRequest)
      next += input.length
      const body = { model: 'text-embedding-3-small', input, dimensions: 512, encoding_format: 'base64' }
      await call(atoll, 'POST', '/embeddings', body)
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, work))
  return (performance.now() - startedAt) / 1000
}

/** Seconds from the request that makes the store until all is found. The upload is not counted. */
async function ingest(atoll: AtollServer, { files }: Corpus): Promise<number> {
  const file_ids: string[] = []
  for (const text of files) {
    const form = new FormData()
    form.set('purpose', 'assistants')
    form.set('file', new Blob([text]), 'a.txt')
    file_ids.push((await call<{ id: string }>(atoll, 'POST', '/files', form)).id)
  }
  const startedAt = performance.now()
  const { id } = await call<{ id: string }>(atoll, 'POST', '/vector_stores', { file_ids })
  for (;;) {
    const store = await call<{ status: string; file_counts: { failed: number } }>(atoll, 'GET', `/vector_stores/${id}`)
    if (store.file_counts.failed > 0) throw new Error('A file could not be read.')
    if (store.status === 'completed') break
    await setTimeout(pollMs)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await call(atoll, 'DELETE', `/vector_stores/${id}`)
  return seconds
}

async function call<Answer>(
  atoll: AtollServer,
  method: string,
  path: string,
  body?: object | FormData,
): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(`${atoll.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${atoll.apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<Answer>
}

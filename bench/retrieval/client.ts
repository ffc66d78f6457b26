// A vector store as a program uses it: files in, questions, and vectors of texts.
import { setTimeout } from 'node:timers/promises'
import type { AtollServer } from '../atoll-server.ts'
import type { Collection } from './collections.ts'

const uploadsAtOnce = 8
const filesPerBatch = 500
const inputsPerRequest = 64
const pollMs = 50
/** A model takes 8,192 tokens of a text. */
const maxInputLetters = 16_000

export interface Hit {
  file_id: string
  score: number
  content: { text: string }[]
}

export interface FilledStore {
  id: string
  /** By id, the place of a file. */
  places: Map<string, number>
}

export class RetrievalClient {
  readonly #server: Pick<AtollServer, 'url' | 'apiKey'>

  constructor(server: Pick<AtollServer, 'url' | 'apiKey'>) {
    this.#server = server
  }

  async fill({ files, chunking }: Pick<Collection, 'files'> & Partial<Collection>): Promise<FilledStore> {
    const ids = await inLanes(files, async ({ name, text }) => {
      const form = new FormData()
      form.set('purpose', 'assistants')
      form.set('file', new Blob([text]), name)
      return (await this.call<{ id: string }>('POST', '/files', form)).id
    })
    const { id } = await this.call<{ id: string }>('POST', '/vector_stores', {})
    const sizes = chunking && {
      type: 'static',
      static: { max_chunk_size_tokens: chunking.maxTokens, chunk_overlap_tokens: chunking.overlapTokens },
    }
    for (let from = 0; from < ids.length; from += filesPerBatch) {
      const file_ids = ids.slice(from, from + filesPerBatch)
      const body = { file_ids, ...(sizes && { chunking_strategy: sizes }) }
      await this.#finish(id, await this.call('POST', `/vector_stores/${id}/file_batches`, body), file_ids.length)
    }
    return { id, places: new Map(ids.map((fileId, place) => [fileId, place])) }
  }

  async #finish(storeId: string, { id }: { id: string }, count: number): Promise<void> {
    for (;;) {
      const path = `/vector_stores/${storeId}/file_batches/${id}`
      const batch = await this.call<{ status: string; file_counts: { completed: number } }>('GET', path)
      if (batch.status === 'completed' && batch.file_counts.completed === count) return
      if (batch.status !== 'in_progress') throw new Error(`The files came in as ${JSON.stringify(batch)}`)
      await setTimeout(pollMs)
    }
  }

  async search(storeId: string, query: string, limit: number): Promise<Hit[]> {
    const body = { query, max_num_results: limit }
    return (await this.call<{ data: Hit[] }>('POST', `/vector_stores/${storeId}/search`, body)).data
  }

  /** Vectors of length 1; of a very long text it is its beginning that counts. */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const groups = Array.from({ length: Math.ceil(texts.length / inputsPerRequest) }, (_, n) =>
      texts.slice(n * inputsPerRequest, (n + 1) * inputsPerRequest).map((text) => text.slice(0, maxInputLetters)),
    )
    const vectors: Float32Array[] = []
    for (const input of groups) {
      const body = { model: 'text-embedding-3-small', input, dimensions: 512, encoding_format: 'base64' }
      const { data } = await this.call<{ data: { embedding: string }[] }>('POST', '/embeddings', body)
      for (const { embedding } of data)
        vectors.push(new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer))
    }
    return vectors
  }

  async call<Answer>(method: string, path: string, body?: object | FormData): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(`${this.#server.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#server.apiKey}`,
        'openai-beta': 'assistants=v2',
        ...(isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Answer>
  }
}

/** In order, a few at a time. */
export async function inLanes<From, To>(items: readonly From[], work: (item: From) => Promise<To>): Promise<To[]> {
  const done: To[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const place = next++
      done[place] = await work(items[place] as From)
    }
  }
  await Promise.all(Array.from({ length: uploadsAtOnce }, lane))
  return done
}

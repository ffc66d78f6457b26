// Our search through the API, a plain BM25 and vectors alone, on the same texts and questions.
import { bm25 } from './bm25.ts'
import { type FilledStore, type Hit, inLanes, type RetrievalClient } from './client.ts'
import type { Collection, Question } from './collections.ts'
import { bestPlaces, type Ranking } from './figures.ts'

const hitsAsked = 50
const depth = 10
/** As many as a store takes: more are spread over several. */
const maxStoreFiles = 10_000

/** One ranking for each question. */
export interface Measured {
  ours: Ranking[]
  words: Ranking[]
  meaning: Ranking[]
  /** Until all was searchable. */
  seconds: number
}

export async function measureSearch(client: RetrievalClient, collection: Collection): Promise<Measured> {
  const startedAt = performance.now()
  const stores = await fillStores(client, collection)
  const places = new Map(stores.flatMap((store) => [...store.places]))
  const seconds = (performance.now() - startedAt) / 1000
  const { questions, documents } = collection
  const ours = await inLanes(questions, async (question) => {
    const lists = await Promise.all(stores.map(({ id }) => client.search(id, question.text, hitsAsked)))
    const hits = lists.flat().sort((one, other) => other.score - one.score)
    return question.passage === undefined
      ? byFile(question, hits, places)
      : byPassage(question.passage, hits.map(textOf))
  })
  const lexical = bm25(documents)
  const words = questions.map((question) => ranking(question, documents, lexical(question.text)))
  const vectors = await client.embed(documents)
  const asked = await client.embed(questions.map(({ text }) => text))
  const meaning = questions.map((question, n) => ranking(question, documents, cosines(vectors, asked[n])))
  for (const { id } of stores) await client.call('DELETE', `/vector_stores/${id}`)
  return { ours, words, meaning, seconds }
}

async function fillStores(client: RetrievalClient, collection: Collection): Promise<FilledStore[]> {
  const stores: FilledStore[] = []
  for (let from = 0; from < collection.files.length; from += maxStoreFiles) {
    const files = collection.files.slice(from, from + maxStoreFiles)
    const { id, places } = await client.fill({ ...collection, files })
    stores.push({ id, places: new Map([...places].map(([fileId, place]) => [fileId, from + place])) })
  }
  return stores
}

const textOf = ({ content }: Hit): string => content.map(({ text }) => text).join('\n')

/** A file is where its best chunk is. */
function byFile({ right }: Question, hits: readonly Hit[], places: FilledStore['places']): Ranking {
  const files = [...new Set(hits.map(({ file_id }) => places.get(file_id) ?? -1))]
  return { isRight: files.slice(0, depth).map((place) => right.includes(place)), right: right.length }
}

/** Chunks overlap: one that has the passage is enough. */
function byPassage(passage: string, texts: readonly string[]): Ranking {
  const first = texts.slice(0, depth).findIndex((text) => squeezed(text).includes(squeezed(passage)))
  return { isRight: Array.from({ length: first + 1 }, (_, place) => place === first), right: 1 }
}

/** Tables may be written in another manner once they are read: letters and digits count. */
export const squeezed = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function ranking({ right, passage }: Question, documents: readonly string[], scores: ArrayLike<number>): Ranking {
  const best = bestPlaces(scores, depth)
  if (passage !== undefined)
    return byPassage(
      passage,
      best.map((place) => documents[place] ?? ''),
    )
  return { isRight: best.map((place) => right.includes(place)), right: right.length }
}

function cosines(vectors: readonly Float32Array[], asked: Float32Array | undefined): Float64Array {
  return Float64Array.from(vectors, (vector) => {
    let sum = 0
    for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) * (asked?.[at] ?? 0)
    return sum
  })
}

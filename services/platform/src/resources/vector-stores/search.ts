// Searches stores: by the meaning of the query and by its words.
import type { Database } from '@atoll/kernel/db/database'
import type { Vectors } from '@atoll/kernel/vectors/vectors'
import type { ProjectCaller } from '../../callers.ts'
import type { Files } from '../files/service.ts'
import type { Embedder, EmbeddingChoice } from './embedder.ts'
import type { Attachments } from './files/attachments.ts'

export interface SearchOptions {
  query: string
  limit: number
  /** From 0 to 1. */
  minScore?: number | undefined
  signal: AbortSignal
}

export interface FoundPassage {
  fileId: string
  fileName: string
  /** From 0 to 1. */
  score: number
  text: string
}

interface SearchedStore extends EmbeddingChoice {
  id: string
}

interface Parts {
  db: Database
  vectors: Vectors
  files: Files
  attachments: Attachments
  embedder: Embedder
}

export class Search {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async search(
    caller: ProjectCaller,
    stores: readonly SearchedStore[],
    options: SearchOptions,
  ): Promise<FoundPassage[]> {
    // Vectors of different models cannot be compared with one another.
    const groups = Map.groupBy(stores, ({ model, dimensions }) => `${model} ${dimensions}`)
    const found = await Promise.all([...groups.values()].map((group) => this.#searchAlike(caller, group, options)))
    const hits = found.flat().sort((one, other) => other.score - one.score)
    return this.#named(caller, hits.slice(0, options.limit))
  }

  async #searchAlike(
    caller: ProjectCaller,
    stores: readonly SearchedStore[],
    { query, limit, minScore, signal }: SearchOptions,
  ) {
    const { embedder, vectors } = this.#parts
    const [choice] = stores
    if (choice === undefined) return []
    const [vector] = await embedder.embed(caller, choice, [query], { signal, background: false })
    if (vector === undefined) return []
    return vectors.search({ collections: stores.map(({ id }) => id), vector, text: query, limit, minScore })
  }

  async #named(
    caller: ProjectCaller,
    hits: readonly { owner: string; score: number; text: string }[],
  ): Promise<FoundPassage[]> {
    const { db, attachments, files } = this.#parts
    const fileIds = await attachments.fileIds([...new Set(hits.map(({ owner }) => owner))])
    const named = await files.named(db.queries, caller, fileIds.values())
    return hits.flatMap(({ owner, score, text }) => {
      const fileId = fileIds.get(owner)
      const fileName = fileId === undefined ? undefined : named.get(fileId)?.filename
      // Removed since it was found.
      return fileId === undefined || fileName === undefined ? [] : [{ fileId, fileName, score, text }]
    })
  }
}

// Searches stores: by the meaning of the query and by its words.
import type { Database } from '@atoll/kernel/db/database'
import type { VectorHit, Vectors } from '@atoll/kernel/vectors/vectors'
import type { ProjectCaller } from '../../callers.ts'
import type { Files } from '../files/service.ts'
import type { Editions } from './editions.ts'
import type { Embedder, EmbeddingChoice } from './embedder.ts'
import type { Attachments } from './files/attachments.ts'
import type { Attributes, SearchFilter } from './files/attributes/schema.ts'
import type { HybridSearch } from './ranking/schema.ts'
import { weightsOf } from './ranking/weights.ts'

export interface SearchOptions {
  query: string
  limit: number
  /** From 0 to 1. */
  minScore?: number | undefined
  /** Absent: both as they have proven best. */
  hybrid?: HybridSearch | undefined
  /** Over the attributes of files. Absent: all of them. */
  filter?: SearchFilter | undefined
  signal: AbortSignal
}

export interface FoundPassage {
  fileId: string
  fileName: string
  /** From 0 to 1. */
  score: number
  text: string
  /** Title and headings that the text stands under; empty where there are none. */
  heading: string
  /** What its file was described by. */
  attributes?: Attributes
}

interface SearchedStore extends EmbeddingChoice {
  id: string
  /** Which model made its vectors. */
  edition: string | null
}

interface Parts {
  db: Database
  vectors: Vectors
  files: Files
  attachments: Attachments
  embedder: Embedder
  editions: Editions
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
    const groups = Map.groupBy(stores, ({ model, dimensions, edition }) => `${model} ${dimensions} ${edition}`)
    const found = await Promise.all([...groups.values()].map((group) => this.#searchAlike(caller, group, options)))
    const hits = found.flat().sort((one, other) => other.score - one.score)
    return this.#named(caller, hits.slice(0, options.limit))
  }

  async #searchAlike(
    caller: ProjectCaller,
    stores: readonly SearchedStore[],
    { query, limit, minScore, hybrid, filter, signal }: SearchOptions,
  ) {
    const { embedder, editions, vectors } = this.#parts
    const [choice] = stores
    if (choice === undefined) return []
    const owners = filter && (await this.#ownersIn(stores, filter))
    if (owners?.length === 0) return []
    const asked = { collections: stores.map(({ id }) => id), text: query, limit, minScore, owners }
    // Vectors of another model than the query's mean nothing to it.
    const wordsAlone = () => vectors.search({ ...asked, vector: new Float32Array(0), meaningWeight: 0 })
    if (!(await editions.isCurrent(caller, choice))) return wordsAlone()
    const weights = weightsOf(hybrid)
    if (weights.meaning === 0) return wordsAlone()
    const embedded = await embedder.embed(caller, choice, [query], { signal, background: false })
    const [vector] = embedded.vectors
    if (vector === undefined || embedded.edition !== choice.edition) return wordsAlone()
    const meaningWeight = weights.meaning * (embedded.meaningWeight ?? 1)
    return vectors.search({ ...asked, vector, meaningWeight, wordsWeight: weights.words })
  }

  async #ownersIn(stores: readonly SearchedStore[], filter: SearchFilter): Promise<string[]> {
    return (await Promise.all(stores.map(({ id }) => this.#parts.attachments.matching(id, filter)))).flat()
  }

  async #named(
    caller: ProjectCaller,
    hits: readonly Pick<VectorHit, 'owner' | 'score' | 'text' | 'heading'>[],
  ): Promise<FoundPassage[]> {
    const { db, attachments, files } = this.#parts
    const described = await attachments.described([...new Set(hits.map(({ owner }) => owner))])
    const fileIds = [...described.values()].map(({ fileId }) => fileId)
    const named = await files.named(db.queries, caller, fileIds)
    return hits.flatMap(({ owner, score, text, heading }) => {
      const file = described.get(owner)
      const fileName = file && named.get(file.fileId)?.filename
      // Removed since it was found.
      return file === undefined || fileName === undefined ? [] : [{ ...file, fileName, score, text, heading }]
    })
  }
}

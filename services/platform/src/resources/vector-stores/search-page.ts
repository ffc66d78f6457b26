// A search as clients ask for it: one query or several, and the best passages of all.
import type { ProjectCaller } from '../../callers.ts'
import type { SearchResultsPage, SearchVectorStore } from './schema.ts'
import type { FoundPassage } from './search.ts'
import type { VectorStores } from './service.ts'

export async function searchPage(
  stores: VectorStores,
  caller: ProjectCaller,
  storeId: string,
  request: SearchVectorStore,
  signal: AbortSignal,
): Promise<SearchResultsPage> {
  const queries = typeof request.query === 'string' ? [request.query] : request.query
  const { max_num_results: limit, ranking_options, filters: filter } = request
  const { score_threshold: minScore, hybrid_search: hybrid } = ranking_options ?? {}
  const found = await Promise.all(
    queries.map((query) => stores.search(caller, [storeId], { query, limit, minScore, hybrid, filter, signal })),
  )
  return {
    object: 'vector_store.search_results.page',
    search_query: queries,
    data: best(found.flat(), limit).map(({ fileId, fileName, score, attributes = {}, ...passage }) => ({
      file_id: fileId,
      filename: fileName,
      score,
      attributes,
      content: [{ type: 'text', text: shownText(passage) }],
    })),
    has_more: false,
    next_page: null,
  }
}

/** The mark of a heading in Markdown. */
const headingMark = /^#{1,6}\s+/

/** Where it stands comes first, unless the text itself begins so. */
const shownText = ({ heading, text }: Pick<FoundPassage, 'heading' | 'text'>): string =>
  heading === '' || text.replace(headingMark, '').startsWith(heading) ? text : `${heading}\n${text}`

/** A passage that several queries found is told once. */
function best(found: FoundPassage[], limit: number): FoundPassage[] {
  const sorted = found.toSorted((one, other) => other.score - one.score)
  const seen = new Set<string>()
  const isNew = ({ fileId, text }: FoundPassage): boolean => {
    const key = `${fileId}\n${text}`
    return !seen.has(key) && seen.add(key) !== undefined
  }
  return sorted.filter(isNew).slice(0, limit)
}

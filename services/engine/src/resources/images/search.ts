// The rules of a search: what may be asked, and which of the registry's hits are told.
import type { IncomingHttpHeaders } from 'node:http'
import { invalidParameter } from '../../errors.ts'
import type { ImageRegistry, SearchHit } from '../../images/image-registry.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import { readFlag, refuseUnknown } from './image-filters.ts'
import type { SearchResult } from './schema.ts'

const maxResults = 100
const usualResults = 25

interface SearchAsked {
  term: string
  limit: number | undefined
  filters: Record<string, string[]>
  headers: IncomingHttpHeaders
  signal: AbortSignal
}

export async function searchImages(registry: ImageRegistry, asked: SearchAsked): Promise<SearchResult[]> {
  const { term, limit, filters, headers, signal } = asked
  if (term === '') throw invalidParameter('term is missing: what is to be searched for')
  if (limit !== undefined && limit !== 0 && !(Number.isInteger(limit) && limit >= 1 && limit <= maxResults)) {
    throw invalidParameter(`limit ${limit} is outside the range of [1, ${maxResults}]`)
  }
  const isWanted = hitTest(filters)
  // ENG-375, ENG-377: nothing is built by registries any more, so there is nobody to ask.
  if (readFlag(filters, 'is-automated') === true) return []
  const { host, word } = splitTerm(term)
  const auth = readRegistryAuth(headers, host === undefined ? 'x' : `${host}/x`)
  const most = limit || usualResults
  const hits = await registry.search(word, { ...(host !== undefined && { host }), limit: maxResults, auth, signal })
  return hits
    .filter(isWanted)
    .slice(0, most)
    .map(({ name, description, isOfficial, stars }) => ({
      ...{ name, description, is_official: isOfficial, is_automated: false, star_count: stars },
    }))
}

function hitTest(filters: SearchAsked['filters']): (hit: SearchHit) => boolean {
  refuseUnknown(filters, ['is-automated', 'is-official', 'stars'])
  const [stars = '0'] = filters.stars ?? []
  if (!/^\d{1,9}$/.test(stars)) throw invalidParameter(`invalid filter 'stars=[${filters.stars?.join(' ')}]'`)
  const isOfficial = readFlag(filters, 'is-official')
  return (hit) => hit.stars >= Number(stars) && (isOfficial ?? hit.isOfficial) === hit.isOfficial
}

/** `localhost:5000/web` is looked for in that registry, `web` and `team/web` in docker.io. */
function splitTerm(term: string): { host?: string; word: string } {
  const slash = term.indexOf('/')
  const host = term.slice(0, Math.max(slash, 0))
  if (!/^(localhost|.*[.:].*)$/.test(host)) return { word: term }
  return host === 'docker.io' || host === 'index.docker.io'
    ? { word: term.slice(slash + 1) }
    : { host, word: term.slice(slash + 1) }
}

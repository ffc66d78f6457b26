// Finds repositories by a word. Registries that can search are asked to; of the others, the list of all their
// repositories is looked through.
import { z } from 'zod'
import type { SearchHit } from '../image-registry.ts'
import { nonsense, RegistryProblem, refusal } from './failure.ts'
import { RegistrySession, type SessionOptions } from './session.ts'

const maxAnswerBytes = 4 * 1024 ** 2
const maxPages = 50
const namesOfPage = 1_000

const Found = z.object({
  results: z
    .array(
      z.object({
        name: z.string().max(1_024),
        description: z.string().nullish(),
        is_official: z.boolean().nullish(),
        star_count: z.number().nullish(),
      }),
    )
    .nullable(),
})
const Catalog = z.object({ repositories: z.array(z.string().max(1_024)).nullable() })

interface SearchRequest {
  word: string
  limit: number
}

type Options = Omit<SessionOptions, 'scopes' | 'wantsIdentity'>

/** The index of docker.io searches, and has no list for everybody. */
export async function searchIndex(options: Options, request: SearchRequest, signal: AbortSignal): Promise<SearchHit[]> {
  const answer = await askIndex(options, request, signal)
  if (answer.status >= 400) throw refusal(answer.status, answer.bytes)
  return hitsOf(answer.bytes)
}

/** A mirror, or a registry of somebody's own: it may do either. */
export async function searchRegistry(
  options: Options,
  asked: SearchRequest,
  signal: AbortSignal,
): Promise<SearchHit[]> {
  const answer = await askIndex(options, asked, signal)
  const told = answer.status === 200 ? readJson(Found, answer.bytes) : undefined
  return told === undefined ? lookThrough(options, asked, signal) : hitsOf(answer.bytes)
}

function askIndex({ wire, endpoint }: Options, { word, limit }: SearchRequest, signal: AbortSignal) {
  const url = new URL(`${endpoint.base}/v1/search`)
  url.searchParams.set('q', word)
  url.searchParams.set('n', String(limit))
  return wire.sendSmall({ method: 'GET', url, isInsecure: endpoint.isInsecure, signal }, maxAnswerBytes)
}

function hitsOf(bytes: Buffer): SearchHit[] {
  const told = readJson(Found, bytes)
  if (told === undefined) throw nonsense("the registry's search results make no sense")
  return (told.results ?? []).map(({ name, description, is_official, star_count }) => ({
    name,
    description: description ?? '',
    isOfficial: is_official ?? false,
    stars: star_count ?? 0,
  }))
}

/** Nothing but names is known of what is found so: no registry's list says what is official. */
async function lookThrough(options: Options, { word, limit }: SearchRequest, signal: AbortSignal) {
  const session = await RegistrySession.open({ ...options, scopes: ['registry:catalog:*'] }, signal)
  const found: SearchHit[] = []
  let to: string | URL | undefined = `/v2/_catalog?n=${namesOfPage}`
  for (let page = 0; to !== undefined && page < maxPages && found.length < limit; page++) {
    const answer: Awaited<ReturnType<RegistrySession['sendSmall']>> = await session.sendSmall(
      { method: 'GET', to, signal },
      maxAnswerBytes,
    )
    const told = readJson(Catalog, answer.bytes)
    if (told === undefined) throw new RegistryProblem('UNSUPPORTED', 'the registry offers no search')
    const names = (told.repositories ?? []).filter((name) => name.toLowerCase().includes(word.toLowerCase()))
    found.push(...names.map((name) => ({ name, description: '', isOfficial: false, stars: 0 })))
    const next: string | undefined = /<([^>]+)>\s*;\s*rel="?next"?/.exec(answer.headers.link?.toString() ?? '')?.[1]
    to = next !== undefined && URL.canParse(next, answer.url.href) ? new URL(next, answer.url) : undefined
  }
  return found.slice(0, limit)
}

function readJson<T extends z.ZodType>(schema: T, bytes: Buffer): z.output<T> | undefined {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return undefined
  }
}

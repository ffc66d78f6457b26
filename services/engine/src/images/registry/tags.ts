// All tags of a repository.
import { z } from 'zod'
import { nonsense, RegistryProblem } from './failure.ts'
import type { RegistrySession } from './session.ts'

const maxAnswerBytes = 4 * 1024 ** 2
const maxPages = 100
const maxTags = 10_000
const TagList = z.object({ tags: z.array(z.string().regex(/^[\w][\w.-]{0,127}$/)).nullish() })

export async function listTags(session: RegistrySession, path: string, signal: AbortSignal): Promise<string[]> {
  const tags: string[] = []
  let to: string | URL | undefined = `/v2/${path}/tags/list`
  for (let page = 0; to !== undefined && page < maxPages; page++) {
    const answer: Awaited<ReturnType<RegistrySession['sendSmall']>> = await session.sendSmall(
      { method: 'GET', to, signal },
      maxAnswerBytes,
    )
    tags.push(...readTags(answer.bytes))
    if (tags.length > maxTags) throw nonsense(`${path} has more than ${maxTags} tags: name the ones you want`)
    const next: string | undefined = /<([^>]+)>\s*;\s*rel="?next"?/.exec(answer.headers.link?.toString() ?? '')?.[1]
    to = next !== undefined && URL.canParse(next, answer.url.href) ? new URL(next, answer.url) : undefined
  }
  if (tags.length === 0) throw new RegistryProblem('NAME_UNKNOWN', 'name unknown: it has no tags')
  return tags
}

function readTags(bytes: Buffer): string[] {
  try {
    return TagList.parse(JSON.parse(bytes.toString('utf8'))).tags ?? []
  } catch {
    throw nonsense("the registry's list of tags makes no sense")
  }
}

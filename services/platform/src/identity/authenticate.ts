// Says who is calling. Runs on every request, so the usual answer comes from memory in a few microseconds.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { AdminCaller, ProjectCaller } from '../callers.ts'
import type { Caller, CallerCache } from './caller-cache.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { digestOf } from './keys/secret.ts'
import type { LastUsed } from './last-used.ts'
import { problems } from './problems.ts'
import { resolveCaller } from './resolve-caller.ts'

export interface CallerOfKind {
  project: ProjectCaller
  admin: AdminCaller
}

export type Authenticate = <Kind extends keyof CallerOfKind>(
  head: Pick<RequestHead, 'headers'>,
  needed: Kind,
) => Promise<CallerOfKind[Kind]>

/** The same, at once, where it is in memory. Anything else is undefined, and `authenticate` says what is wrong. */
export type Recall = <Kind extends keyof CallerOfKind>(
  head: Pick<RequestHead, 'headers'>,
  needed: Kind,
) => CallerOfKind[Kind] | undefined

interface Parts {
  db: Database
  clock: Clock
  cache: CallerCache
  lastUsed: LastUsed
}

/** Refusals are not remembered: an unknown key costs a lookup, and a flood of them cannot push good ones out. */
export function createAuthenticate({ db, clock, cache, lastUsed }: Parts): Authenticate {
  async function identify(credentials: Credentials): Promise<Caller> {
    const digest = digestOf(credentials.secret)
    const key = cacheKey(digest, credentials)
    const known = cache.find(key)
    if (known !== undefined) return known
    const generation = cache.generation
    const caller = await resolveCaller(db.queries, credentials, digest)
    cache.remember(key, caller, generation)
    return caller
  }

  return async (head, needed) => {
    const caller = await identify(readCredentials(head.headers))
    // Only now: a key that has ended is unknown everywhere, whatever it was good for.
    if (caller.kind !== needed) throw problems.wrongKeyKind(needed)
    lastUsed.note(caller.keyId, clock.now())
    return caller as CallerOfKind[typeof needed]
  }
}

/** What most requests need, without a promise. */
export function createRecall({ clock, cache, lastUsed }: Omit<Parts, 'db'>): Recall {
  return (head, needed) => {
    if (!head.headers.authorization) return undefined
    const caller = remembered(cache, head.headers)
    if (caller?.kind !== needed) return undefined
    lastUsed.note(caller.keyId, clock.now())
    return caller as CallerOfKind[typeof needed]
  }
}

function remembered(cache: CallerCache, headers: RequestHead['headers']): Caller | undefined {
  try {
    const credentials = readCredentials(headers)
    return cache.find(cacheKey(digestOf(credentials.secret), credentials))
  } catch {
    return undefined
  }
}

/** No header value holds a line break, so no two requests share a key by accident. */
const cacheKey = (digest: string, { organization, project }: Credentials): string =>
  organization === undefined && project === undefined ? digest : `${digest}\n${organization ?? ''}\n${project ?? ''}`

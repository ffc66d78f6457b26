// Sessions: the main one, and one for each key of a hook. Each is a thread of the platform.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Making } from '@atoll/kernel/ids/new-object'
import type { Trust } from '../../actions.ts'
import type { Platform } from '../platform/platform.ts'
import { leastTrusted } from '../trust/trust.ts'
import type { SessionRow } from './store.ts'
import * as store from './store.ts'

const mainKey = 'main'
const idleSessionsPerRound = 100

interface Parts extends Making {
  db: Database
  platform: Platform
}

export class Sessions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  main(tx: Tx): Promise<SessionRow> {
    return this.#open(tx, 'main', mainKey)
  }

  ofHook(tx: Tx, key: string): Promise<SessionRow> {
    return this.#open(tx, 'hook', key)
  }

  /** A turn begins that shows content of this trust; resolves to the trust of all that the model will see. */
  async use(tx: Tx, session: SessionRow, shown: Trust): Promise<Trust> {
    const trust = leastTrusted(session.trust, shown)
    const used_at = this.#parts.clock.now()
    await store.changeSession(tx, session.id, { trust, used_at, turns: session.turns + 1 })
    return trust
  }

  /** Content of this trust is about to enter its thread. */
  async taint(tx: Tx, id: string, trust: Trust): Promise<void> {
    if (trust === 'external') await store.changeSession(tx, id, { trust })
  }

  /** Its thread; a new one when there was none yet, or when somebody deleted it. */
  async thread(sessionId: string): Promise<string> {
    const { db, platform } = this.#parts
    const session = await store.sessionById(db.queries, sessionId)
    if (session === undefined) throw new Error(`The session ${sessionId} is gone.`)
    const { thread_id } = session
    if (thread_id !== null && (await platform.hasThread(thread_id))) return thread_id
    const made = await platform.createThread(sessionId)
    const kept = await store.setThread(db.queries, sessionId, thread_id, made)
    if (kept === made) return made
    await platform.deleteThread(made)
    if (kept === undefined) throw new Error(`The session ${sessionId} was reset meanwhile.`)
    return kept
  }

  list(limit: number): Promise<SessionRow[]> {
    return store.newestSessions(this.#parts.db.queries, limit)
  }

  /** Forgets the conversation, and with it what the trust of the session came from. False when there is no such one. */
  async reset(id: string): Promise<boolean> {
    return this.#parts.db.transaction(async (tx) => {
      const session = await store.sessionById(tx, id)
      if (session === undefined) return false
      await store.changeSession(tx, id, { thread_id: null, trust: 'operator', turns: 0 })
      return true
    })
  }

  /** Deletes conversations that nobody has continued since; says how many. */
  async prune(before: number, signal: AbortSignal): Promise<number> {
    const { db, platform } = this.#parts
    let pruned = 0
    for (;;) {
      const idle = await store.idleSessions(db.queries, before, idleSessionsPerRound)
      if (idle.length === 0) return pruned
      for (const { id, thread_id } of idle) {
        signal.throwIfAborted()
        if (!(await store.deleteIdleSession(db.queries, id, before))) continue
        if (thread_id !== null) await platform.deleteThread(thread_id)
        pruned++
      }
    }
  }

  async #open(tx: Tx, kind: SessionRow['kind'], key: string): Promise<SessionRow> {
    const found = await store.findSession(tx, kind, key)
    if (found !== undefined) return found
    const { ids, clock } = this.#parts
    const now = clock.now()
    const row = { id: ids.next('ses_'), kind, key, thread_id: null, turns: 0, created_at: now, used_at: now }
    await store.insertSession(tx, { ...row, trust: 'operator' })
    const session = await store.findSession(tx, kind, key)
    if (session === undefined) throw new Error('A session that was just made is not there.')
    return session
  }
}

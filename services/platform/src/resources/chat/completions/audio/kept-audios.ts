// Spoken answers that a later turn may name: what was said in them is kept for an hour.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import * as store from './store.ts'

const lifetimeSeconds = 3_600
const removeOverdueEverySeconds = 60
const removedAtOnce = 500

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
}

export class KeptAudios {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  newId(): string {
    return this.#parts.ids.next('audio_')
  }

  /** When it expires, in seconds. Durable once it returns. */
  async keep(projectId: string, id: string, transcript: string): Promise<number> {
    const { db, clock } = this.#parts
    const expires_at = unixSeconds(clock) + lifetimeSeconds
    await db.transaction((tx) => store.insertAudio(tx, { id, project_id: projectId, transcript, expires_at }))
    return expires_at
  }

  /** Undefined: there is none, or none any more. */
  async transcript(projectId: string, id: string): Promise<string | undefined> {
    const { db, clock } = this.#parts
    const row = await store.findAudio(db.queries, projectId, id)
    return row === undefined || Number(row.expires_at) <= unixSeconds(clock) ? undefined : row.transcript
  }

  keepRemoving(jobs: Pick<Jobs, 'registerPeriodic'>): void {
    jobs.registerPeriodic('remove-chat-audios', removeOverdueEverySeconds, () => this.removeOverdue())
  }

  async removeOverdue(): Promise<void> {
    const { db, clock } = this.#parts
    for (let found = removedAtOnce; found === removedAtOnce; ) {
      const overdue = await store.listOverdue(db.queries, unixSeconds(clock), removedAtOnce)
      found = overdue.length
      if (found === 0) return
      const ids = overdue.map(({ id }) => id)
      await db.transaction((tx) => store.deleteAudios(tx, ids))
    }
  }
}

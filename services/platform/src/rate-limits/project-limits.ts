// Limits that administrators have set for a project and a model, remembered: every request asks for them.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { LimitSet } from './limit-set.ts'
import { limitsOfProject, type ProjectRateLimitRow, saveLimits } from './store.ts'

/** By model. */
export type OwnLimits = ReadonlyMap<string, LimitSet>

const changed = 'rate-limits.changed'
const maxProjects = 1_000

export class ProjectLimits {
  readonly #db: Database
  readonly #events: Events
  /** Promises, not rows: whoever asks after a change never shares an answer that was read before it. */
  readonly #known = new Map<string, Promise<OwnLimits>>()
  readonly #stops: (() => void)[]

  constructor(db: Database, events: Events) {
    this.#db = db
    this.#events = events
    const forget = (): void => this.#known.clear()
    this.#stops = [events.subscribe(changed, forget), events.onGap(forget)]
  }

  of(projectId: string): Promise<OwnLimits> {
    const known = this.#known.get(projectId)
    if (known) return known
    if (this.#known.size >= maxProjects) this.#known.clear()
    const read = this.readIn(this.#db.queries, projectId)
    this.#known.set(projectId, read)
    read.catch(() => this.#known.delete(projectId))
    return read
  }

  async readIn(queries: Queries, projectId: string): Promise<OwnLimits> {
    const rows = await limitsOfProject(queries, projectId)
    return new Map(rows.map((row) => [row.model, limitsOf(row)]))
  }

  /** In force on this node when the transaction is acknowledged, and on others as soon as they hear of it. */
  async setIn(tx: Tx, projectId: string, model: string, limits: LimitSet): Promise<void> {
    await saveLimits(tx, {
      project_id: projectId,
      model,
      requests_per_minute: limits.requestsPerMinute ?? null,
      tokens_per_minute: limits.tokensPerMinute ?? null,
      images_per_minute: limits.imagesPerMinute ?? null,
      requests_per_day: limits.requestsPerDay ?? null,
    })
    this.#db.afterCommit(tx, () => this.#known.clear())
    await this.#events.publish(tx, changed, {})
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }
}

const limitsOf = (row: ProjectRateLimitRow): LimitSet => ({
  ...(row.requests_per_minute === null ? {} : { requestsPerMinute: row.requests_per_minute }),
  ...(row.tokens_per_minute === null ? {} : { tokensPerMinute: row.tokens_per_minute }),
  ...(row.images_per_minute === null ? {} : { imagesPerMinute: row.images_per_minute }),
  ...(row.requests_per_day === null ? {} : { requestsPerDay: row.requests_per_day }),
})

// Limits that administrators have set for a project and a model, remembered: every request asks for them.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import { RememberedByProject } from '../identity/remembered-by-project.ts'
import type { LimitSet } from './limit-set.ts'
import { limitsOfProject, type ProjectRateLimitRow, saveLimits } from './store.ts'

/** By model. */
export type OwnLimits = ReadonlyMap<string, LimitSet>

export class ProjectLimits extends RememberedByProject<OwnLimits> {
  constructor(db: Database, events: Events) {
    super(db, events, 'rate-limits.changed')
  }

  async readIn(queries: Queries, projectId: string): Promise<OwnLimits> {
    const rows = await limitsOfProject(queries, projectId)
    return new Map(rows.map((row) => [row.model, limitsOf(row)]))
  }

  async setIn(tx: Tx, projectId: string, model: string, limits: LimitSet): Promise<void> {
    await saveLimits(tx, {
      project_id: projectId,
      model,
      requests_per_minute: limits.requestsPerMinute ?? null,
      tokens_per_minute: limits.tokensPerMinute ?? null,
      images_per_minute: limits.imagesPerMinute ?? null,
      requests_per_day: limits.requestsPerDay ?? null,
    })
    await this.announceChange(tx)
  }
}

const limitsOf = (row: ProjectRateLimitRow): LimitSet => ({
  ...(row.requests_per_minute === null ? {} : { requestsPerMinute: row.requests_per_minute }),
  ...(row.tokens_per_minute === null ? {} : { tokensPerMinute: row.tokens_per_minute }),
  ...(row.images_per_minute === null ? {} : { imagesPerMinute: row.images_per_minute }),
  ...(row.requests_per_day === null ? {} : { requestsPerDay: row.requests_per_day }),
})

import type { Queries, Tx } from '@atoll/kernel/db/database'

/** What administrators have set; null: as the organization has it. */
export interface ProjectRateLimitRow {
  project_id: string
  model: string
  requests_per_minute: number | null
  tokens_per_minute: number | null
  images_per_minute: number | null
  requests_per_day: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    project_rate_limits: ProjectRateLimitRow
  }
}

export const limitsOfProject = (queries: Queries, projectId: string): Promise<ProjectRateLimitRow[]> =>
  queries.selectFrom('project_rate_limits').selectAll().where('project_id', '=', projectId).execute()

export async function saveLimits(tx: Tx, row: ProjectRateLimitRow): Promise<void> {
  const { project_id, model, ...limits } = row
  await tx
    .insertInto('project_rate_limits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'model']).doUpdateSet(limits))
    .execute()
}

import type { Queries } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import './step-rows.ts'

export const findStep = (queries: Queries, runId: string, id: string) =>
  queries.selectFrom('run_steps').selectAll().where('id', '=', id).where('run_id', '=', runId).executeTakeFirst()

export const listSteps = (queries: Queries, runId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('run_steps').selectAll().where('run_id', '=', runId), page)

// Run steps, for callers to look at.
import type { Database } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { ProjectCaller } from '../../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../../conventions/lists.ts'
import { runErrors } from '../../../../errors/runs.ts'
import type { Runs } from '../service.ts'
import { presentStep, withoutSearchContent } from './present.ts'
import type { RunStepObject } from './schema.ts'
import type { StepRow } from './step-rows.ts'
import * as store from './store.ts'

interface Parts {
  db: Database
  runs: Pick<Runs, 'get'>
}

interface StepOptions {
  /** `include`. */
  include?: readonly string[] | undefined
}

export class RunSteps {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(
    caller: ProjectCaller,
    threadId: string,
    runId: string,
    { include, ...page }: PageQuery & StepOptions,
  ): Promise<ListEnvelope<RunStepObject>> {
    const { db, runs } = this.#parts
    await runs.get(caller, threadId, runId)
    const find = (query: PageQuery) => store.listSteps(db.queries, runId, query)
    return listPage(page, find, (row) => shown(row, { include }))
  }

  async get(
    caller: ProjectCaller,
    threadId: string,
    runId: string,
    id: string,
    options: StepOptions = {},
  ): Promise<RunStepObject> {
    const { db, runs } = this.#parts
    await runs.get(caller, threadId, runId)
    const row = await store.findStep(db.queries, runId, id)
    if (row === undefined) throw runErrors.noSuchStep(id)
    return shown(row, options)
  }
}

const shown = (row: StepRow, { include = [] }: StepOptions): RunStepObject =>
  include.length > 0 ? presentStep(row) : withoutSearchContent(presentStep(row))

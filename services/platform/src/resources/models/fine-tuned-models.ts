// A project's fine-tuned models, remembered: they change rarely and are asked for with every look at the list.
import type { Database, Queries } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import { RememberedByProject } from '../../identity/remembered-by-project.ts'
import type { ModelObject } from './schema.ts'
import * as store from './store.ts'

interface OfProject {
  models: ModelObject[]
  /** Id of each → id of the model it was made from. */
  bases: ReadonlyMap<string, string>
  /** Ids of those that are their base with an adapter. */
  adapted: ReadonlySet<string>
}

export class FineTunedModels extends RememberedByProject<OfProject> {
  constructor(db: Database, events: Events) {
    super(db, events, 'models.changed')
  }

  async readIn(queries: Queries, projectId: string): Promise<OfProject> {
    const rows = await store.listFineTuned(queries, projectId)
    return {
      models: rows.map(modelOf),
      bases: new Map(rows.map(({ id, base_model }) => [id, base_model])),
      adapted: new Set(rows.filter(({ has_adapter }) => has_adapter === 1).map(({ id }) => id)),
    }
  }
}

const modelOf = ({ id, created_at, organization_id }: store.FineTunedModelRow): ModelObject => ({
  id,
  object: 'model',
  created: created_at,
  owned_by: organization_id,
})

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
  /** By id. */
  trainings: ReadonlyMap<string, Training>
}

/** What makes a fine-tuned model another one than its base. */
export interface Training {
  /** Whether what was trained is kept under its id. */
  hasAdapter: boolean
  /** The SHA-256 of the file it was trained on, where that is known. */
  baseSha256: string | null
  /** Its id at the server that trained it, and that answers for it. */
  remoteModel: string | null
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
      trainings: new Map(rows.map((row) => [row.id, trainingOf(row)])),
    }
  }
}

const trainingOf = ({ has_adapter, base_sha256, remote_model }: store.FineTunedModelRow): Training => ({
  hasAdapter: has_adapter === 1,
  baseSha256: base_sha256,
  remoteModel: remote_model,
})

const modelOf = ({ id, created_at, organization_id }: store.FineTunedModelRow): ModelObject => ({
  id,
  object: 'model',
  created: created_at,
  owned_by: organization_id,
})

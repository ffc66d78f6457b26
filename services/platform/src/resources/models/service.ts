// The models a caller can name: those of the configuration, and the project's fine-tuned ones.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../callers.ts'
import { accessErrors, modelErrors } from '../../errors.ts'
import type { ModelObject } from './schema.ts'
import * as store from './store.ts'

export interface ConfiguredModel {
  id: string
  owned_by: string
  created: number
}

interface Parts {
  db: Database
  clock: Clock
  configured: readonly ConfiguredModel[]
}

type ProjectOwner = Pick<ProjectCaller, 'organizationId' | 'projectId'>

export class Models {
  readonly #db: Database
  readonly #clock: Clock
  readonly #configured: ReadonlyMap<string, ModelObject>

  constructor({ db, clock, configured }: Parts) {
    this.#db = db
    this.#clock = clock
    this.#configured = new Map(
      configured.map(({ id, owned_by, created }) => [id, { id, object: 'model', created, owned_by }]),
    )
  }

  async list(owner: ProjectOwner): Promise<ModelObject[]> {
    const fineTuned = await store.listFineTuned(this.#db.queries, owner.projectId)
    return [...this.#configured.values(), ...fineTuned.map(present)]
  }

  async get(owner: ProjectOwner, id: string): Promise<ModelObject> {
    const configured = this.#configured.get(id)
    if (configured) return configured
    const fineTuned = await store.findFineTuned(this.#db.queries, owner.projectId, id)
    if (!fineTuned) throw modelErrors.notFound(id)
    return present(fineTuned)
  }

  /** Makes a fine-tuned model known, in the transaction that finishes its training. */
  async addFineTuned(tx: Tx, owner: ProjectOwner, id: string, baseModel: string): Promise<void> {
    await store.insertFineTuned(tx, {
      id,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      base_model: baseModel,
      created_at: unixSeconds(this.#clock),
    })
  }

  async delete(caller: ProjectCaller, id: string): Promise<void> {
    if (this.#configured.has(id)) throw modelErrors.notFineTuned(id) // INF-119
    if (caller.organizationRole !== 'owner') throw accessErrors.ownerOnly('deleting a model') // INF-120
    const deleted = await this.#db.transaction((tx) => store.deleteFineTuned(tx, caller.projectId, id))
    if (!deleted) throw modelErrors.notFound(id)
  }
}

const present = (row: store.FineTunedModelRow): ModelObject => ({
  id: row.id,
  object: 'model',
  created: row.created_at,
  owned_by: row.organization_id,
})

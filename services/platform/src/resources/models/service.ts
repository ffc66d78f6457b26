// The models a caller can name: those of the configuration that something runs, and what the project has made from them.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { ProjectCaller } from '../../callers.ts'
import { accessErrors, modelErrors } from '../../errors/errors.ts'
import { FineTunedModels, type Training } from './fine-tuned-models.ts'
import type { ModelList, ModelObject } from './schema.ts'
import * as store from './store.ts'

export interface ConfiguredModel {
  id: string
  owned_by: string
  created: number
}

interface Parts {
  db: Database
  events: Events
  clock: Clock
  configured: readonly ConfiguredModel[]
}

type ProjectOwner = Pick<ProjectCaller, 'organizationId' | 'projectId'>

export class Models {
  readonly #db: Database
  readonly #clock: Clock
  readonly #configured: ReadonlyMap<string, ModelObject>
  readonly #fineTuned: FineTunedModels
  readonly #deleteListeners: ((tx: Tx, id: string) => Promise<void>)[] = []
  /** The whole answer for each remembered set of fine-tuned models; frozen, so it is turned into text once. */
  readonly #lists = new WeakMap<ModelObject[], ModelList>()

  constructor({ db, events, clock, configured }: Parts) {
    this.#db = db
    this.#clock = clock
    this.#configured = new Map(
      configured.map(({ id, owned_by, created }) => [id, { id, object: 'model', created, owned_by }]),
    )
    this.#fineTuned = new FineTunedModels(db, events)
  }

  async list(owner: ProjectOwner): Promise<ModelList> {
    const { models: fineTuned, bases } = await this.#fineTuned.of(owner.projectId)
    const known = this.#lists.get(fineTuned)
    if (known) return known
    const own = fineTuned.filter(({ id }) => this.#isServed(bases.get(id)))
    const list = Object.freeze({ object: 'list' as const, data: [...this.#configured.values(), ...own] })
    this.#lists.set(fineTuned, list)
    return list
  }

  async get(owner: ProjectOwner, id: string): Promise<ModelObject> {
    const { models: fineTuned, bases } = await this.#fineTuned.of(owner.projectId)
    const own = this.#isServed(bases.get(id)) ? fineTuned.find((one) => one.id === id) : undefined
    const model = this.#configured.get(id) ?? own
    if (!model) throw modelErrors.notFound(id)
    return model
  }

  /** The configured model that stands behind an id: itself, or the one that a fine-tuned model was made from. */
  async baseOf(owner: ProjectOwner, id: string): Promise<string> {
    if (this.#configured.has(id)) return id
    const { bases } = await this.#fineTuned.of(owner.projectId)
    const base = bases.get(id)
    if (!this.#isServed(base)) throw modelErrors.notFound(id)
    return base
  }

  /** What was trained on top of its base. Undefined: the model is none that was fine-tuned. */
  async trainingOf(owner: ProjectOwner, id: string): Promise<Training | undefined> {
    if (this.#configured.has(id)) return undefined
    return (await this.#fineTuned.of(owner.projectId)).trainings.get(id)
  }

  /** Of whichever project. */
  findFineTuned(id: string) {
    return store.findFineTuned(this.#db.queries, id)
  }

  /** Makes a fine-tuned model known, in the transaction that finishes its training. */
  async addFineTuned(
    tx: Tx,
    owner: ProjectOwner,
    id: string,
    baseModel: string,
    { hasAdapter = false, baseSha256 = null, remoteModel = null }: Partial<Training> = {},
  ): Promise<void> {
    await store.insertFineTuned(tx, {
      id,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      base_model: baseModel,
      created_at: unixSeconds(this.#clock),
      has_adapter: hasAdapter ? 1 : 0,
      base_sha256: baseSha256,
      remote_model: remoteModel,
    })
    await this.#fineTuned.announceChange(tx)
  }

  async delete(caller: ProjectCaller, id: string): Promise<void> {
    if (this.#configured.has(id)) throw modelErrors.notFineTuned(id) // INF-119
    if (caller.organizationRole !== 'owner') throw accessErrors.ownerOnly('deleting a model') // INF-120
    await this.#db.transaction(async (tx) => {
      if (!(await store.deleteFineTuned(tx, caller.projectId, id))) throw modelErrors.notFound(id)
      for (const listener of this.#deleteListeners) await listener(tx, id)
      await this.#fineTuned.announceChange(tx)
    })
  }

  /** For what is kept of a model and goes with it. */
  onDelete(listener: (tx: Tx, id: string) => Promise<void>): void {
    this.#deleteListeners.push(listener)
  }

  #isServed(base: string | undefined): base is string {
    return base !== undefined && this.#configured.has(base)
  }

  close(): void {
    this.#fineTuned.close()
  }
}

// A project's fine-tuned models, remembered: they change rarely and are asked for with every look at the list.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { ModelObject } from './schema.ts'
import * as store from './store.ts'

interface OfProject {
  models: ModelObject[]
  /** Id of each → id of the model it was made from. */
  bases: ReadonlyMap<string, string>
}

const changed = 'models.changed'
const maxProjects = 1_000

export class FineTunedModels {
  readonly #db: Database
  readonly #events: Events
  /** Promises, not rows: whoever asks after a change never shares an answer that was read before it. */
  readonly #known = new Map<string, Promise<OfProject>>()
  readonly #stops: (() => void)[]

  constructor(db: Database, events: Events) {
    this.#db = db
    this.#events = events
    const forget = (): void => this.#known.clear()
    this.#stops = [events.subscribe(changed, forget), events.onGap(forget)]
  }

  of(projectId: string): Promise<OfProject> {
    const known = this.#known.get(projectId)
    if (known) return known
    if (this.#known.size >= maxProjects) this.#known.clear()
    const read = store.listFineTuned(this.#db.queries, projectId).then(present)
    this.#known.set(projectId, read)
    read.catch(() => this.#known.delete(projectId))
    return read
  }

  /** Tells every node, this one before the transaction is acknowledged. */
  async announceChange(tx: Tx): Promise<void> {
    this.#db.afterCommit(tx, () => this.#known.clear())
    await this.#events.publish(tx, changed, {})
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }
}

const present = (rows: store.FineTunedModelRow[]): OfProject => ({
  models: rows.map(({ id, created_at, organization_id }) => ({
    id,
    object: 'model',
    created: created_at,
    owned_by: organization_id,
  })),
  bases: new Map(rows.map(({ id, base_model }) => [id, base_model])),
})

// Which model made the vectors of a store. Those of different models cannot be compared: a store whose vectors are not
// of the model that embeds queries now is searched by its words alone, until it was embedded again (upgrades.ts).
import type { Tx } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import * as store from './store.ts'

/** Of a store with vectors of several: no model is called so. */
const mixed = 'mixed'

/** As it is kept: null where the model does not tell, as models of other servers do not, and as before there were any. */
export type Edition = string | null

export class Editions {
  readonly #inference: Inference

  constructor(inference: Inference) {
    this.#inference = inference
  }

  /** Of the model that this id stands for now. Undefined: there is none for this caller. */
  async current(caller: ProjectCaller, model: string): Promise<Edition | undefined> {
    try {
      const { port } = await this.#inference.resolve(caller, model, 'embeddings')
      return port.edition ?? null
    } catch {
      // Whoever needs the model hears why; to say of what kind a store is, it is not needed.
      return undefined
    }
  }

  /** Whether vectors of this store may be compared with one of a query. */
  async isCurrent(
    caller: ProjectCaller,
    { model, edition }: Pick<store.VectorStoreRow, 'model' | 'edition'>,
  ): Promise<boolean> {
    const current = await this.current(caller, model)
    return current === undefined || current === edition
  }
}

/** To be told before chunks of an edition are added. */
export const noteEditionIn = (tx: Tx, storeId: string, edition: Edition): Promise<unknown> =>
  store.noteEdition(tx, storeId, { edition, mixed })

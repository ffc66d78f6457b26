// What must happen once a transaction is durable, and never when it rolls back.
import type { Log } from '../telemetry/log.ts'
import type { Tx } from './database.ts'

type Effect = () => void

export class CommitEffects {
  readonly #log: Log
  readonly #open = new WeakMap<Tx, Effect[]>()

  constructor(log: Log) {
    this.#log = log
  }

  add(tx: Tx, effect: Effect): void {
    const effects = this.#open.get(tx)
    if (!effects) throw new Error('afterCommit needs the open transaction that was handed to the work')
    effects.push(effect)
  }

  /** Runs one try of a transaction, which tells its `tx` through `track`; its effects follow if the try resolves. */
  async collect<T>(attempt: (track: (tx: Tx) => void) => Promise<T>): Promise<T> {
    const effects: Effect[] = []
    let opened: Tx | undefined
    try {
      const result = await attempt((tx) => {
        opened = tx
        this.#open.set(tx, effects)
      })
      for (const effect of effects) this.#run(effect)
      return result
    } finally {
      if (opened) this.#open.delete(opened)
    }
  }

  /** The transaction is durable whatever an effect does, so its failure must not look like the transaction's. */
  #run(effect: Effect): void {
    try {
      effect()
    } catch (error) {
      this.#log.error({ err: error }, 'an effect after a commit failed')
    }
  }
}

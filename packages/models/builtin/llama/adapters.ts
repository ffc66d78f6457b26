// What was trained on top of a model: loaded beside it when first asked for, and added to it for whole steps. Answers of
// different adapters take turns step by step, so that one model in memory serves them all.
import { ModelProblem } from '../../problem.ts'
import type { AddonLora } from './addon.ts'
import type { Loaded } from './loaded-model.ts'

/** Some megabytes each; those that were not used for longest make room. */
const maxLoaded = 16

/** By its file; undefined is the model alone. */
type Adapter = string | undefined

export class Adapters {
  readonly #loaded: Pick<Loaded, 'addon' | 'model' | 'context'>
  /** In the order of their last use. */
  readonly #adapters = new Map<string, AddonLora>()
  #current: Adapter

  constructor(loaded: Pick<Loaded, 'addon' | 'model' | 'context'>) {
    this.#loaded = loaded
  }

  async load(adapter: Adapter): Promise<void> {
    if (adapter === undefined) return
    const known = this.#adapters.get(adapter)
    if (known !== undefined) {
      this.#adapters.delete(adapter)
      this.#adapters.set(adapter, known)
      return
    }
    const { addon, model } = this.#loaded
    try {
      const lora = new addon.AddonModelLora(model, adapter)
      await model.loadLora(lora)
      this.#adapters.set(adapter, lora)
    } catch (cause) {
      const message = 'What this model was fine-tuned with cannot be loaded: train it again.'
      throw new ModelProblem(message, { kind: 'not_installed' }, { cause })
    }
  }

  /** Whose step it is, of those that have answers under way: the one after the last, around. */
  next(running: readonly Adapter[]): Adapter {
    const all = [...new Set(running)]
    this.#makeRoom(all)
    return all[(all.indexOf(this.#current) + 1) % all.length]
  }

  /** For the step that follows. Never while one is computed. */
  use(adapter: Adapter): void {
    if (adapter === this.#current) return
    const lora = adapter === undefined ? undefined : this.#adapters.get(adapter)
    this.#loaded.context.setLoras(lora === undefined ? [] : [lora], lora === undefined ? [] : [1])
    this.#current = adapter
  }

  #makeRoom(needed: readonly Adapter[]): void {
    for (const [adapter, lora] of this.#adapters) {
      if (this.#adapters.size <= maxLoaded) return
      if (needed.includes(adapter) || adapter === this.#current) continue
      this.#adapters.delete(adapter)
      lora.dispose()
    }
  }
}

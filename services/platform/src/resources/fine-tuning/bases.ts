// Models that can be fine-tuned: those in GGUF files here, and those of servers that train them.
import type { ModerationModel } from '@atoll/models/moderate'
import type { Runtimes } from '@atoll/models/runtimes'
import type { TrainingServer } from '@atoll/models/train'
import type { PlatformConfig } from '../../config.ts'
import { fineTuningErrors } from '../../errors/fine-tuning.ts'
import { servedBy } from '../../inference/settings.ts'
import type { FileOwner } from '../files/service.ts'
import type { Models } from '../models/service.ts'

export class Bases {
  readonly #config: PlatformConfig
  readonly #models: Models
  readonly #runtimes: Runtimes

  constructor(config: PlatformConfig, models: Models, runtimes: Runtimes) {
    this.#config = config
    this.#models = models
    this.#runtimes = runtimes
  }

  /** Throws when there is no such model, or it cannot be trained. */
  async whereTrained(owner: FileOwner, model: string): Promise<'here' | 'elsewhere'> {
    const base = await this.#models.baseOf(owner, model)
    if (base !== model) throw fineTuningErrors.tunedBase(model, base)
    if ((await this.fileOf(model)) !== undefined) return 'here'
    if (this.#isTrainedElsewhere(model)) return 'elsewhere'
    throw fineTuningErrors.cannotTrain(model)
  }

  /** The GGUF file behind a model's id. Undefined: it is none. */
  async fileOf(model: string): Promise<string | undefined> {
    const runtime = this.#runtimeOf(model)
    return runtime === undefined ? undefined : this.#runtimes.modelFile(runtime)
  }

  /** The server behind a model's id that fine-tunes it. */
  async serverOf(model: string): Promise<TrainingServer | undefined> {
    const runtime = this.#isTrainedElsewhere(model) ? this.#runtimeOf(model) : undefined
    return runtime === undefined ? undefined : (await this.#runtimes.get(runtime))?.training
  }

  /** Undefined: nothing moderates here, or trainings are not to be. */
  async moderation(): Promise<ModerationModel | undefined> {
    const { models, runtimes, fineTuning } = this.#config
    if (!fineTuning.moderation) return undefined
    const moderator = models.find((model) => {
      const served = servedBy(model, runtimes)
      // One of another server that does not tell what it serves is asked for chats, most likely.
      return served.includes('moderations') && (model.serves !== undefined || served.length === 1)
    })
    return moderator?.runtime === undefined ? undefined : (await this.#runtimes.get(moderator.runtime))?.moderation
  }

  /** Whether a model of this machine is answering somebody. */
  isBusy(): boolean {
    return this.#runtimes
      .loads()
      .some(({ name, running }) => running > 0 && this.#config.runtimes[name]?.kind !== 'upstream')
  }

  #isTrainedElsewhere(model: string): boolean {
    const runtime = this.#config.runtimes[this.#runtimeOf(model) ?? '']
    return runtime?.kind === 'upstream' && runtime.fineTuning
  }

  #runtimeOf(model: string): string | undefined {
    return this.#config.models.find(({ id }) => id === model)?.runtime
  }
}

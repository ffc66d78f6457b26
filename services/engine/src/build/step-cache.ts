// Whether what a step makes is known already: from builds of this engine, or from images that were named for it.
import type { BuildWorkspace, BuiltLayer } from '../images/build-store.ts'
import type { CacheImages } from './cache-images.ts'
import type { BuildOptions } from './options.ts'
import type { PlannedStage } from './plan.ts'
import type { StageState } from './stage-state.ts'

export interface Step {
  key: string
  /** What the history says of it. */
  createdBy: string
}

export class StepCache {
  readonly #workspace: BuildWorkspace
  readonly #images: CacheImages
  readonly #options: BuildOptions

  constructor(workspace: BuildWorkspace, images: CacheImages, options: BuildOptions) {
    this.#workspace = workspace
    this.#images = images
    this.#options = options
  }

  async layer({ name }: PlannedStage, state: StageState, { key, createdBy }: Step): Promise<BuiltLayer | undefined> {
    if (this.#isOff(name)) return undefined
    const own = this.#options.isCacheFromOnly ? undefined : await this.#workspace.cached(key)
    return own ?? this.#images.findLayer(state, createdBy)
  }

  /** Of a step that changes no file. */
  hasEmpty({ name }: PlannedStage, state: StageState, { key, createdBy }: Step): boolean {
    if (this.#isOff(name)) return false
    const isOwn = !this.#options.isCacheFromOnly && this.#workspace.isNoted(key)
    return isOwn || this.#images.hasEmptyStep(state, createdBy)
  }

  rememberEmpty(state: StageState, { key, createdBy }: Step): void {
    this.#workspace.note({ key, parentKey: state.lastKey, description: describe(createdBy) }, state.chainId)
  }

  #isOff(stage: string): boolean {
    const { isCacheOff, uncachedStages } = this.#options
    return isCacheOff || (uncachedStages?.has(stage) ?? false)
  }
}

export const describe = (createdBy: string): string => createdBy.slice(0, 1_000)

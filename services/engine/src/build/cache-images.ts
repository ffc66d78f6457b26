// `cachefrom`: images whose layers are taken where they were made by the same steps on the same layers.
import type { BuildWorkspace, BuiltLayer, StoredBase } from '../images/build-store.ts'
import type { StageState } from './stage-state.ts'

export class CacheImages {
  readonly #images: readonly StoredBase[]

  private constructor(images: readonly StoredBase[]) {
    this.#images = images
  }

  /** Those that are not here are of no use. */
  static async open(workspace: BuildWorkspace, references: readonly string[]): Promise<CacheImages> {
    const found = await Promise.all(references.map((reference) => workspace.base(reference)))
    return new CacheImages(found.filter((image) => image !== undefined))
  }

  findLayer(state: StageState, createdBy: string): BuiltLayer | undefined {
    const image = this.#images.find((each) => nextStep(each, state, createdBy) === 'layer')
    return image?.layers[state.layers.length]
  }

  hasEmptyStep(state: StageState, createdBy: string): boolean {
    return this.#images.some((each) => nextStep(each, state, createdBy) === 'empty')
  }
}

/** What the step made, where the image was this stage once and went on with this very step. */
function nextStep({ config, layers }: StoredBase, state: StageState, createdBy: string): 'layer' | 'empty' | undefined {
  const history = config.history ?? []
  const next = history[state.history.length]
  const isSameSoFar =
    state.layers.every(({ chainId }, at) => layers[at]?.chainId === chainId) &&
    state.history.every((step, at) => history[at]?.created_by === step.created_by)
  if (!isSameSoFar || next?.created_by !== createdBy) return undefined
  return next.empty_layer === true ? 'empty' : 'layer'
}

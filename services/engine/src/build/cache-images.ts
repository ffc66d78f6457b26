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

  find(state: StageState, createdBy: string): Promise<BuiltLayer | undefined> {
    const image = this.#images.find((each) => isContinuation(each, state, createdBy))
    return Promise.resolve(image?.layers[state.layers.length])
  }
}

/** The image was this stage once, and went on with this very step. */
function isContinuation({ config, layers }: StoredBase, state: StageState, createdBy: string): boolean {
  const history = config.history ?? []
  const next = history[state.history.length]
  const isSameSoFar =
    state.layers.every(({ chainId }, at) => layers[at]?.chainId === chainId) &&
    state.history.every((step, at) => history[at]?.created_by === step.created_by)
  return isSameSoFar && next?.created_by === createdBy && next.empty_layer !== true
}

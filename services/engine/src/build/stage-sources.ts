// Where stages begin, and where COPY and mounts take files from: stages, images, the context, and contexts by name.
import type { BuildWorkspace, CopyFrom, StoredBase } from '../images/build-store.ts'
import type { Platform } from '../images/images.ts'
import { hostPlatform, isPlatform, platformText } from '../images/platform.ts'
import { cacheKey } from './cache-key.ts'
import type { BuildContexts, NamedContext } from './contexts.ts'
import { DockerfileProblem } from './dockerfile/problem.ts'
import { BuildFailure } from './failure.ts'
import type { BuildOptions } from './options.ts'
import { type BuildPlan, type PlannedStage, stageNamed } from './plan.ts'
import type { BuildProgress } from './progress.ts'
import { StageState } from './stage-state.ts'

export interface SourceParts {
  workspace: BuildWorkspace
  plan: BuildPlan
  options: BuildOptions
  contexts: BuildContexts
  progress: BuildProgress
  /** Fetches an image that is not here, or asks whether there is a newer one. */
  pull(reference: string, platform: Platform | undefined, say: (message: object) => Promise<void>): Promise<void>
}

export class StageSources {
  readonly #parts: SourceParts
  readonly #stage: (index: number) => Promise<StageState>

  /** @param stage another stage, once it is built. */
  constructor(parts: SourceParts, stage: (index: number) => Promise<StageState>) {
    this.#parts = parts
    this.#stage = stage
  }

  /** What the stage stands on. `announce` is called when nothing has to be waited for any more. */
  async begin(planned: PlannedStage, announce: () => Promise<void>): Promise<{ state: StageState; id: string }> {
    const { base, platform } = planned
    if (base === 'scratch') {
      await announce()
      return { state: this.#emptyState(platform), id: '' }
    }
    if ('stage' in base) {
      const before = await this.#stage(base.stage)
      await announce()
      return { state: before.successor(), id: before.shortId }
    }
    await announce()
    if ('context' in base) return this.#beginWithFolder(base.context, planned)
    const found = await this.#image(base.image, planned, this.#parts.options.pulls)
    if (found === undefined) throw new DockerfileProblem(planned.stage.place, `No such image: ${base.image}`)
    const { os, architecture, variant } = found.config
    const state = new StageState({
      layers: found.layers,
      image: found.config,
      platform: { os, architecture, ...(variant !== undefined && { variant }) },
      isBuildKit: this.#isBuildKit,
    })
    return { state, id: found.imageId.slice(7, 19) }
  }

  /** The context, an earlier stage, an image, or a context by its name. */
  async filesOf(planned: PlannedStage, name: string, step: 'dockerfile' | 'trigger'): Promise<CopyFrom> {
    const { contexts, plan } = this.#parts
    if (name === '') return { folder: await contexts.folder(step) }
    const given = contexts.named.get(name.toLowerCase())
    if (given !== undefined && 'folder' in given) return { folder: await given.folder() }
    const stage = given === undefined ? stageNamed(plan.stages, planned.index, name) : undefined
    if (stage !== undefined) return { layers: (await this.#stage(stage)).layers }
    const image = given?.image ?? name
    if (/^\d+$/.test(image)) {
      throw new BuildFailure(`invalid from flag value ${name}: there is no stage with that number before`)
    }
    const found = await this.#image(image, planned, false)
    if (found === undefined) throw new BuildFailure(`invalid from flag value ${name}: No such image: ${image}`)
    return { layers: found.layers }
  }

  async #image(
    reference: string,
    { index, platform }: PlannedStage,
    isAskedFor: boolean,
  ): Promise<StoredBase | undefined> {
    const { workspace, pull, progress } = this.#parts
    if (isAskedFor || (await workspace.base(reference, platform)) === undefined) {
      const say = (message: object) => progress.tell(index, { kind: 'pulling', message })
      await pull(reference, platform, say).catch(async (error: unknown) => {
        throw await this.#otherPlatform(reference, platform, error)
      })
    }
    return workspace.base(reference, platform)
  }

  /** What is here under that name is for another machine: that explains more than what the registry says. */
  async #otherPlatform(reference: string, platform: Platform | undefined, error: unknown): Promise<unknown> {
    const other = platform === undefined ? undefined : await this.#parts.workspace.base(reference)
    if (other === undefined || platform === undefined || isPlatform(platform, other.config)) return error
    const [asked, here] = [platformText(platform), platformText(other.config)]
    const why = error instanceof Error ? error.message : String(error)
    return new BuildFailure(`${reference} is here for ${here}, not for ${asked}, and it could not be pulled: ${why}`)
  }

  /** A folder's files are the only layer. */
  async #beginWithFolder(
    context: Extract<NamedContext, { folder(): Promise<string> }>,
    { platform }: PlannedStage,
  ): Promise<{ state: StageState; id: string }> {
    const { workspace } = this.#parts
    const folder = await context.folder()
    const request = { from: { folder }, orders: [{ kind: 'copy' as const, path: '.', destination: '/' }] }
    const key = cacheKey('folder', await workspace.digest(request))
    const made = { key, parentKey: '', description: 'a named context' }
    const layer = (await workspace.cached(key)) ?? (await workspace.copy([], [request], made))
    const state = this.#emptyState(platform)
    if (layer !== undefined) {
      state.add(layer, key)
      state.note('FROM a named context', false)
    }
    return { state, id: state.shortId }
  }

  get #isBuildKit(): boolean {
    return this.#parts.options.isBuildKit === true
  }

  #emptyState(platform: Platform | undefined): StageState {
    const [layers, image, isBuildKit] = [[], undefined, this.#isBuildKit]
    return new StageState({ layers, image, platform: platform ?? hostPlatform, isBuildKit })
  }
}

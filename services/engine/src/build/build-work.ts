// What builds have in common, whichever way they were asked for: a place to work in, the builder, and the image.

import { invalidParameter, unavailable } from '../errors.ts'
import type { BuildStore, BuildWorkspace } from '../images/build-store.ts'
import type { ImageRegistry, RegistryAuth } from '../images/image-registry.ts'
import type { Platform } from '../images/images.ts'
import { hostPlatform } from '../images/platform.ts'
import { familiarName } from '../images/reference.ts'
import { Builder } from './builder.ts'
import { CacheImages } from './cache-images.ts'
import { CacheMounts } from './cache-mounts.ts'
import type { BuildContexts } from './contexts.ts'
import type { Dockerfile } from './dockerfile/dockerfile.ts'
import { readDockerfile } from './dockerfile/read-dockerfile.ts'
import { BuildFailure } from './failure.ts'
import { keepFinalImage } from './final-image.ts'
import { refuseForeignPlan } from './foreign-platform.ts'
import type { BuildOptions } from './options.ts'
import { type BuildPlan, planBuild } from './plan.ts'
import type { BuildProgress } from './progress.ts'
import type { StageState } from './stage-state.ts'
import type { StepOffers } from './step-offers.ts'
import type { StepRunner } from './step-runner.ts'
import { StepSecrets } from './step-secrets.ts'

export interface BuildParts {
  store: BuildStore
  registry: ImageRegistry
  runner: StepRunner
  /** Where `type=cache` mounts are kept. */
  cacheFolder: string
  /** Where secrets are mounted from, while there are any. */
  secretFolder: string
  now(): number
  /** Tells others that there is a new image. */
  created(imageId: string): void
  tagged(imageId: string, name: string): void
  /** Sees to it that what builds keep stays within limits. */
  trim(): Promise<void>
}

export interface BuildOrder {
  dockerfile: Dockerfile
  plan: BuildPlan
  options: BuildOptions
  contexts: BuildContexts
  progress: BuildProgress
  offers?: StepOffers
  /** Who asks, at the registry of an image. */
  auth(reference: string): Promise<RegistryAuth | undefined>
  signal: AbortSignal
}

const maxBuilds = 64

export class BuildWork {
  readonly #parts: BuildParts
  readonly #cacheMounts: CacheMounts
  readonly #secrets: StepSecrets
  #running = 0

  constructor(parts: BuildParts) {
    this.#parts = parts
    this.#cacheMounts = new CacheMounts(parts.cacheFolder)
    this.#secrets = new StepSecrets(parts.secretFolder)
  }

  now(): number {
    return this.#parts.now()
  }

  get registry(): ImageRegistry {
    return this.#parts.registry
  }

  /** A place to work in, for as long as it is needed. */
  async open(signal: AbortSignal): Promise<{ workspace: BuildWorkspace; close(): Promise<void> }> {
    if (this.#running >= maxBuilds) throw unavailable(`${maxBuilds} builds run already; try again later`)
    this.#running += 1
    try {
      const workspace = await this.#parts.store.open(signal)
      return { workspace, close: () => this.#close(workspace) }
    } catch (error) {
      this.#running -= 1
      throw error
    }
  }

  async #close(workspace: BuildWorkspace): Promise<void> {
    try {
      await this.#parts.trim()
      await workspace.close()
    } finally {
      this.#running -= 1
    }
  }

  /** What is wrong with the Dockerfile is thrown before anything is done (ENG-422). */
  plan(
    text: string,
    options: BuildOptions,
    named?: BuildContexts['named'],
  ): { dockerfile: Dockerfile; plan: BuildPlan } {
    const dockerfile = readDockerfile(text)
    refuseForeignSyntax(dockerfile.directives.syntax)
    const plan = planBuild(dockerfile, options, hostPlatform, named)
    refuseForeignPlan(plan)
    return { dockerfile, plan }
  }

  async builder(workspace: BuildWorkspace, order: BuildOrder): Promise<Builder> {
    return new Builder({
      ...{ ...order, workspace, runner: this.#parts.runner },
      ...{ cacheMounts: this.#cacheMounts, secrets: this.#secrets },
      cacheImages: await CacheImages.open(workspace, order.options.cacheFrom),
      pull: (reference, platform, say) => this.pull(reference, { ...order, platform }, say),
    })
  }

  async pull(
    reference: string,
    { auth, signal, platform }: Pick<BuildOrder, 'auth' | 'signal'> & { platform?: Platform | undefined },
    say: (message: object) => Promise<void>,
  ): Promise<void> {
    const who = await auth(reference)
    const asked = { signal, ...(platform && { platform }), ...(who && { auth: who }) }
    for await (const message of this.#parts.registry.pull(reference, asked)) {
      if (message.error !== undefined) throw new BuildFailure(message.error)
      await say(message)
    }
  }

  /** Makes an image of a stage, names it, and tells of it. Returns its id. */
  async keep(workspace: BuildWorkspace, state: StageState, options: BuildOptions): Promise<string> {
    const { now, created, tagged } = this.#parts
    const imageId = await keepFinalImage(state, { workspace, options, now })
    created(imageId)
    for (const name of options.names) tagged(imageId, familiarName(name))
    return imageId
  }
}

/** Other languages have other rules: what they mean cannot be guessed. */
function refuseForeignSyntax(syntax: string | undefined): void {
  const name = syntax?.replace(/^docker\.io\//, '').replace(/[:@].*$/, '')
  if (name === undefined || name === 'docker/dockerfile' || name === 'docker/dockerfile-upstream') return
  throw invalidParameter(`# syntax=${syntax}: this engine builds Dockerfiles (docker/dockerfile) only`)
}

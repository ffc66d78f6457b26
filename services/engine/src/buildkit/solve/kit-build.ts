// One build for a client of BuildKit's: the Dockerfile is read first, then it is built, and then the result goes where
// it was asked to.

import type { BuildWork } from '../../build/build-work.ts'
import type { Builder } from '../../build/builder.ts'
import type { Dockerfile } from '../../build/dockerfile/dockerfile.ts'
import { type BuildOptions, keepsGitDir } from '../../build/options.ts'
import type { BuildPlan } from '../../build/plan.ts'
import type { StageState } from '../../build/stage-state.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import type { RegistryAuth } from '../../images/image-registry.ts'
import { parseReference } from '../../images/reference.ts'
import { buildFailure, type DockerfileText } from '../build-failure.ts'
import { contextPaths } from '../context/context-paths.ts'
import { type ContextParts, KitContexts, type SourceSettings } from '../context/kit-contexts.ts'
import { failureWords } from '../failure-words.ts'
import { listenForAgent } from '../session/agent-socket.ts'
import type { KeptFolders } from '../session/kept-folders.ts'
import { askCredentials, askSecret } from '../session/offered-secrets.ts'
import type { Session } from '../session/sessions.ts'
import { KitProgress, showPull } from '../status/kit-progress.ts'
import { StatusFeed } from '../status/status-feed.ts'
import { Vertex } from '../status/vertex.ts'

export interface KitOrder {
  options: BuildOptions
  source: SourceSettings
  /** Told to the client, since they change nothing. */
  unknown?: readonly string[]
  upload?: ContextParts['upload']
}

export interface KitPlace {
  work: BuildWork
  /** Folders that clients sent before. */
  kept: KeptFolders
}

interface Planned {
  order: KitOrder
  file: DockerfileText
  dockerfile: Dockerfile
  plan: BuildPlan
  contexts: KitContexts
}

export class KitBuild {
  readonly feed = new StatusFeed()
  readonly #work: BuildWork
  readonly #kept: KeptFolders
  readonly #session: () => Promise<Session>
  readonly #stop = new AbortController()
  readonly signal: AbortSignal
  #open: { workspace: BuildWorkspace; close(): Promise<void> } | undefined
  #planned: Planned | undefined
  #builder: Builder | undefined

  /** @param session of the client; it may take a moment to appear. */
  constructor({ work, kept }: KitPlace, session: () => Promise<Session>, signal: AbortSignal) {
    this.#work = work
    this.#kept = kept
    this.#session = session
    this.signal = AbortSignal.any([signal, this.#stop.signal])
  }

  /** Reads the Dockerfile, and says what is wrong with it. */
  async prepare(order: KitOrder): Promise<void> {
    this.#open ??= await this.#work.open(this.signal)
    const { feed, signal } = this
    const { workspace } = this.#open
    const contexts = new KitContexts(order.source, {
      ...{ workspace, session: this.#session, feed, signal, now: () => this.#work.now() },
      ...{ keepsGitDir: keepsGitDir(order.options), kept: this.#kept },
      ...(order.upload && { upload: order.upload }),
    })
    const file = await contexts.dockerfile()
    try {
      const { dockerfile, plan } = this.#work.plan(file.text, order.options, contexts.named)
      this.#planned = { order, file, dockerfile, plan, contexts }
    } catch (error) {
      throw buildFailure(error, file)
    }
  }

  /** Builds what was prepared. What `use` makes of the stage is done before the place is given back. */
  async run<T>(
    use: (state: StageState, place: { workspace: BuildWorkspace; options: BuildOptions }) => Promise<T>,
  ): Promise<T> {
    const { order, file, dockerfile, plan, contexts } = this.#prepared()
    const workspace = this.#workspace()
    const progress = new KitProgress(this.feed, plan, () => this.#work.now())
    try {
      contexts.begin(contextPaths(plan))
      await progress.announce()
      for (const reference of order.options.cacheFrom) await this.#importCache(reference, workspace)
      this.#builder = await this.#work.builder(workspace, {
        ...{ dockerfile, plan, options: order.options, contexts, progress, signal: this.signal },
        offers: {
          secret: async (id, signal) => askSecret(await this.#session(), id, signal),
          agent: async (id, path, signal) => listenForAgent(await this.#session(), id, path, signal),
        },
        auth: (reference) => this.credentials(reference),
      })
      const state = await this.#builder.build()
      await this.#warn(order)
      return await use(state, { workspace, options: order.options })
    } catch (error) {
      this.#stop.abort(error)
      await this.#builder?.settled()
      throw buildFailure(error, file, progress.failedAt)
    }
  }

  /** Nothing is left of it when this is over. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the build is over'))
    await this.#builder?.settled()
    await this.#planned?.contexts.keepForNext()
    await this.#open?.close()
    this.feed.end()
  }

  async credentials(reference: string): Promise<RegistryAuth | undefined> {
    const { registry } = parseReference(reference)
    // What clients know the default registry by.
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry
    const session = await this.#session().catch((error: unknown) => {
      if (error instanceof GrpcFailure && error.code === codes.failedPrecondition) return undefined
      throw error
    })
    return session && askCredentials(session, host, this.signal)
  }

  /** Layers of an image that is not here may be taken from its registry; without it the build takes longer, that is all. */
  async #importCache(reference: string, workspace: BuildWorkspace): Promise<void> {
    if ((await workspace.base(reference)) !== undefined) return
    const vertex = new Vertex(this.feed, `importing cache manifest from ${reference}`, [], () => this.#work.now())
    await vertex.start()
    const asked = { auth: (name: string) => this.credentials(name), signal: this.signal }
    await this.#work
      .pull(reference, asked, (message) => showPull(vertex, message))
      .then(
        () => vertex.complete(),
        (error: unknown) => vertex.complete(failureWords(error)),
      )
    this.signal.throwIfAborted()
  }

  async #warn({ unknown = [] }: KitOrder): Promise<void> {
    const { unusedArgs } = this.#builder ?? { unusedArgs: [] }
    if (unusedArgs.length === 0 && unknown.length === 0) return
    const vertex = new Vertex(this.feed, '[internal] options that had no effect', [], () => this.#work.now())
    await vertex.start()
    if (unusedArgs.length > 0) {
      const words = `[Warning] One or more build-args [${unusedArgs.join(' ')}] were not consumed`
      await vertex.log('stderr', `${words}\n`)
    }
    if (unknown.length > 0) await vertex.log('stderr', `[Warning] This engine does not know ${unknown.join(', ')}\n`)
    await vertex.complete()
  }

  #prepared(): Planned {
    if (this.#planned === undefined) throw new Error('the build was not prepared')
    return this.#planned
  }

  #workspace(): BuildWorkspace {
    if (this.#open === undefined) throw new Error('the build has no place to work in')
    return this.#open.workspace
  }
}

// Builds, and what they keep.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Builder } from '../../build/builder.ts'
import { CacheImages } from '../../build/cache-images.ts'
import { readDockerfile } from '../../build/dockerfile/read-dockerfile.ts'
import { BuildFailure } from '../../build/failure.ts'
import { type BuildMessage, Messages } from '../../build/messages.ts'
import type { BuildOptions } from '../../build/options.ts'
import { planBuild } from '../../build/plan.ts'
import type { StepRunner } from '../../build/step-runner.ts'
import { invalidParameter, unavailable } from '../../errors.ts'
import type { BuildStore, BuildWorkspace } from '../../images/build-store.ts'
import type { ImageRegistry } from '../../images/image-registry.ts'
import type { Platform } from '../../images/images.ts'
import { hostPlatform } from '../../images/platform.ts'
import { familiarName } from '../../images/reference.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import { openContext } from './context.ts'
import { failureMessage } from './failure-message.ts'

export interface BuildParts {
  store: BuildStore
  registry: ImageRegistry
  runner: StepRunner
  /** Where `type=cache` mounts are kept. */
  cacheFolder: string
  now(): number
  /** Tells others that there is a new image. */
  created(imageId: string): void
  tagged(imageId: string, name: string): void
  /** Sees to it that what builds keep stays within limits. */
  trim(): Promise<void>
}

export interface BuildRequest {
  body: Readable
  headers: IncomingHttpHeaders
  remote: string
  dockerfile: string
  isQuiet: boolean
  options: BuildOptions
  signal: AbortSignal
}

const maxBuilds = 64
const maxQuietBytes = 1024 * 1024

export class Builds {
  readonly #parts: BuildParts
  #running = 0

  constructor(parts: BuildParts) {
    this.#parts = parts
  }

  /** What is wrong before the first step is thrown (ENG-422); later it is the last message. */
  async *build(request: BuildRequest): AsyncGenerator<BuildMessage> {
    if (this.#running >= maxBuilds) throw unavailable(`${maxBuilds} builds run already; try again later`)
    this.#running += 1
    // Whoever stops reading stops the build.
    const stop = new AbortController()
    const signal = AbortSignal.any([request.signal, stop.signal])
    try {
      const workspace = await this.#parts.store.open(signal)
      try {
        yield* this.#buildIn(workspace, { ...request, signal }, stop)
      } finally {
        await this.#parts.trim()
        await workspace.close()
      }
    } finally {
      this.#running -= 1
    }
  }

  async *#buildIn(
    workspace: BuildWorkspace,
    request: BuildRequest,
    stop: AbortController,
  ): AsyncGenerator<BuildMessage> {
    const { options, signal, isQuiet } = request
    const context = await openContext(workspace, request)
    const dockerfile = readDockerfile(context.dockerfile)
    refuseForeignSyntax(dockerfile.directives.syntax)
    const plan = planBuild(dockerfile, options, hostPlatform)
    const messages = new Messages(plan.needed)
    const { runner, cacheFolder, now } = this.#parts
    const builder = new Builder({
      ...{ workspace, dockerfile, plan, options, context: context.folder, runner, messages, cacheFolder, now, signal },
      cacheImages: await CacheImages.open(workspace, options.cacheFrom),
      pull: (reference, platform, say) => this.#pull(reference, platform, request, say),
    })
    const building = this.#finish(builder, options, messages, isQuiet, stop)
    try {
      yield* isQuiet ? quietly(messages.read()) : messages.read()
    } catch (error) {
      yield failureMessage(error)
    } finally {
      stop.abort(new BuildFailure('the build was given up'))
      messages.end()
      await building
    }
  }

  /** Never rejects: how it went is said in the messages. */
  async #finish(
    builder: Builder,
    options: BuildOptions,
    messages: Messages,
    isQuiet: boolean,
    stop: AbortController,
  ): Promise<void> {
    const last = Number.POSITIVE_INFINITY
    try {
      const { imageId, unusedArgs } = await builder.build()
      this.#parts.created(imageId)
      for (const name of options.names) this.#parts.tagged(imageId, familiarName(name))
      const say = (stream: string) => messages.say(last, { stream })
      if (isQuiet) await say(`${imageId}\n`)
      else {
        await messages.say(last, { aux: { ID: imageId } })
        if (unusedArgs.length > 0) {
          await say(`[Warning] One or more build-args [${unusedArgs.join(' ')}] were not consumed\n`)
        }
        await say(`Successfully built ${imageId.slice('sha256:'.length).slice(0, 12)}\n`)
        for (const name of options.names) await say(`Successfully tagged ${familiarName(name)}\n`)
      }
      messages.end()
    } catch (error) {
      // Stages that still run are of no use any more; nothing of them is left when this is over.
      stop.abort(error)
      await builder.settled()
      messages.end(error)
    }
  }

  async #pull(
    reference: string,
    platform: Platform | undefined,
    { headers, signal }: BuildRequest,
    say: (message: object) => Promise<void>,
  ): Promise<void> {
    const auth = readRegistryAuth(headers, reference)
    const asked = { signal, ...(platform && { platform }), ...(auth && { auth }) }
    for await (const message of this.#parts.registry.pull(reference, asked)) {
      if (message.error !== undefined) throw new BuildFailure(message.error)
      await say(message)
    }
  }
}

/** Other languages have other rules: what they mean cannot be guessed. */
function refuseForeignSyntax(syntax: string | undefined): void {
  const name = syntax?.replace(/^docker\.io\//, '').replace(/[:@].*$/, '')
  if (name === undefined || name === 'docker/dockerfile' || name === 'docker/dockerfile-upstream') return
  throw invalidParameter(`# syntax=${syntax}: this engine builds Dockerfiles (docker/dockerfile) only`)
}

/** Only the last line, unless it goes wrong. */
async function* quietly(messages: AsyncIterable<BuildMessage>): AsyncGenerator<BuildMessage> {
  const held: BuildMessage[] = []
  let bytes = 0
  try {
    for await (const message of messages) {
      held.push(message)
      bytes += message.stream?.length ?? 0
      while (bytes > maxQuietBytes && held.length > 1) bytes -= held.shift()?.stream?.length ?? 0
    }
  } catch (error) {
    yield* held
    throw error
  }
  const last = held.at(-1)
  if (last !== undefined) yield last
}

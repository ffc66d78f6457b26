// Builds by the classic builder.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { BuildWork } from '../../build/build-work.ts'
import type { Builder } from '../../build/builder.ts'
import { ClassicWords } from '../../build/classic-words.ts'
import { BuildFailure } from '../../build/failure.ts'
import { type BuildMessage, Messages } from '../../build/messages.ts'
import { type BuildOptions, keepsGitDir } from '../../build/options.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { familiarName } from '../../images/reference.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import { openContext } from './context.ts'
import { failureMessage } from './failure-message.ts'

export interface BuildRequest {
  body: Readable
  headers: IncomingHttpHeaders
  remote: string
  dockerfile: string
  isQuiet: boolean
  options: BuildOptions
  signal: AbortSignal
}

const maxQuietBytes = 1024 * 1024

export class Builds {
  readonly #work: BuildWork

  constructor(work: BuildWork) {
    this.#work = work
  }

  /** What is wrong before the first step is thrown (ENG-422); later it is the last message. */
  async *build(request: BuildRequest): AsyncGenerator<BuildMessage> {
    // Whoever stops reading stops the build.
    const stop = new AbortController()
    const signal = AbortSignal.any([request.signal, stop.signal])
    const { workspace, close } = await this.#work.open(signal)
    try {
      yield* this.#buildIn(workspace, { ...request, signal }, stop)
    } finally {
      await close()
    }
  }

  async *#buildIn(
    workspace: BuildWorkspace,
    request: BuildRequest,
    stop: AbortController,
  ): AsyncGenerator<BuildMessage> {
    const { options, signal, isQuiet, headers } = request
    const context = await openContext(workspace, { ...request, keepsGitDir: keepsGitDir(options) })
    const { dockerfile, plan } = this.#work.plan(context.dockerfile, options)
    const messages = new Messages(plan.needed)
    const builder = await this.#work.builder(workspace, {
      ...{ dockerfile, plan, options, signal, progress: new ClassicWords(messages) },
      contexts: { folder: async () => context.folder, named: new Map() },
      auth: async (reference) => readRegistryAuth(headers, reference),
    })
    const building = this.#finish(builder, workspace, { options, messages, isQuiet, stop })
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
    workspace: BuildWorkspace,
    said: { options: BuildOptions; messages: Messages; isQuiet: boolean; stop: AbortController },
  ): Promise<void> {
    const { options, messages, isQuiet, stop } = said
    const last = Number.POSITIVE_INFINITY
    try {
      const imageId = await this.#work.keep(workspace, await builder.build(), options)
      const say = (stream: string) => messages.say(last, { stream })
      if (isQuiet) await say(`${imageId}\n`)
      else {
        await messages.say(last, { aux: { ID: imageId } })
        const { unusedArgs } = builder
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

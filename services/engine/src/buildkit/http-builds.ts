// BuildKit's builds for older clients: one request for the build, and a session beside it that offers the files.
import type { Readable } from 'node:stream'
import type { BuildMessage } from '../build/messages.ts'
import type { BuildOptions } from '../build/options.ts'
import { notFound, notImplemented } from '../errors.ts'
import { codes, GrpcFailure } from '../grpc/status.ts'
import type { BuildWorkspace } from '../images/build-store.ts'
import { familiarName } from '../images/reference.ts'
import { AwaitedMap } from './awaited-map.ts'
import { failureWords } from './failure-words.ts'
import { StatusResponse } from './protocol/control.ts'
import { exportResult } from './solve/export-result.ts'
import { KitBuild } from './solve/kit-build.ts'
import { type AskedOutput, type Output, readOutput } from './solve/outputs.ts'
import type { SolveParts } from './solve/solves.ts'

export interface HttpBuildRequest {
  options: BuildOptions
  sessionId: string
  /** By which it can be cancelled; empty: it cannot. */
  buildId: string
  /** Empty: the context is the request's own body. */
  remote: string
  body: Readable
  dockerfile: string
  isQuiet: boolean
  outputs: readonly AskedOutput[]
  signal: AbortSignal
}

interface Upload {
  body: Readable
  /** Somebody reads it. */
  begun(): void
  taken: PromiseWithResolvers<void>
}

const uploadPatienceMs = 30_000
/** Stands for the address of a context that is sent. */
const uploaded = 'upload-request'

export class HttpBuilds {
  readonly #parts: SolveParts
  readonly #running = new Map<string, AbortController>()
  readonly #uploads = new AwaitedMap<Upload>()

  constructor(parts: SolveParts) {
    this.#parts = parts
  }

  async *build(request: HttpBuildRequest): AsyncGenerator<BuildMessage> {
    const asked = request.outputs.map(readAsked)
    const outputs: Output[] =
      asked.length > 0 ? asked : [{ kind: 'image', names: [...request.options.names], isPushed: false }]
    const stop = new AbortController()
    const signal = AbortSignal.any([request.signal, stop.signal])
    if (request.buildId !== '') this.#running.set(request.buildId, stop)
    const session = () => this.#parts.sessions.wait(request.sessionId, signal)
    const build = new KitBuild(this.#parts, session, signal)
    const building = this.#run(build, { ...request, signal }, outputs)
    // Whoever waits for it hears of it below.
    building.catch(() => {})
    try {
      for await (const update of build.feed.read(signal)) {
        if (!request.isQuiet) yield traceOf(update)
      }
      yield* lastWords(await building, request)
    } catch (error) {
      const message = failureWords(error)
      yield { errorDetail: { message }, error: message }
    } finally {
      stop.abort(new GrpcFailure(codes.cancelled, 'context canceled'))
      this.#running.delete(request.buildId)
      await building.catch(() => {})
    }
  }

  cancel(buildId: string): void {
    const running = this.#running.get(buildId)
    if (running === undefined) throw notFound(`no such build: ${buildId.slice(0, 100)}`)
    running.abort(new GrpcFailure(codes.cancelled, 'context canceled'))
  }

  /** An archive for a build that was asked for in another request. Resolves when it was read. */
  async upload(buildId: string, body: Readable): Promise<void> {
    const taken = Promise.withResolvers<void>()
    const timer = setTimeout(() => taken.reject(notFound(`no such build: ${buildId}`)), uploadPatienceMs)
    const upload = { body, taken, begun: () => clearTimeout(timer) }
    this.#uploads.set(buildId, upload)
    try {
      await taken.promise
    } finally {
      clearTimeout(timer)
      this.#uploads.delete(buildId, upload)
    }
  }

  async #run(build: KitBuild, request: HttpBuildRequest, outputs: readonly Output[]): Promise<string | undefined> {
    const { work, save, sessions } = this.#parts
    const session = () => sessions.wait(request.sessionId, request.signal)
    const upload = this.#uploadOf(request)
    try {
      await build.prepare({
        options: request.options,
        source: sourceOf(request),
        ...(upload !== undefined && { upload }),
      })
      const answer = await build.run((state, place) =>
        exportResult(state, outputs, { ...place, build, work, save, session }),
      )
      return answer.get('containerimage.digest')
    } finally {
      await build.close()
    }
  }

  #uploadOf(request: HttpBuildRequest): ((folder: string, workspace: BuildWorkspace) => Promise<void>) | undefined {
    if (request.remote === '') {
      return async (folder, workspace) => {
        await workspace.unpack(request.body, folder)
      }
    }
    if (request.remote !== uploaded) return undefined
    return (folder, workspace) => this.#unpackUpload(request, folder, workspace)
  }

  async #unpackUpload({ buildId, signal }: HttpBuildRequest, folder: string, workspace: BuildWorkspace): Promise<void> {
    const upload = await this.#uploads.wait(buildId, uploadPatienceMs, signal)
    if (upload === undefined) throw new GrpcFailure(codes.notFound, 'the context was not sent')
    upload.begun()
    try {
      await workspace.unpack(upload.body, folder)
      upload.taken.resolve()
    } catch (error) {
      upload.taken.reject(error)
      throw error
    }
  }
}

/** What cannot be put out is said before anything is done. */
function readAsked(output: AskedOutput): Output {
  try {
    return readOutput(output)
  } catch (error) {
    throw error instanceof GrpcFailure ? notImplemented(error.message) : error
  }
}

const sourceOf = ({ remote, dockerfile }: HttpBuildRequest) => ({
  address: remote === 'client-session' ? '' : remote || uploaded,
  ...{ contextKey: 'context', dockerfileKey: 'dockerfile', hasOwnDockerfile: false },
  filename: dockerfile || 'Dockerfile',
  named: new Map<string, string>(),
})

const traceOf = (update: Partial<Parameters<typeof StatusResponse.encode>[0]>): BuildMessage => ({
  id: 'moby.buildkit.trace',
  aux: Buffer.from(StatusResponse.encode(update)).toString('base64'),
})

function* lastWords(imageId: string | undefined, { isQuiet, options }: HttpBuildRequest): Generator<BuildMessage> {
  if (imageId === undefined) return
  if (isQuiet) return void (yield { stream: `${imageId}\n` })
  yield { id: 'moby.image.id', aux: { ID: imageId } }
  for (const name of options.names) yield { stream: `Successfully tagged ${familiarName(name)}\n` }
}

// Builds by the names that their clients gave them. A client asks for one, says in further calls what it is to be, and
// listens meanwhile, in any order.
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import { AwaitedMap } from '../awaited-map.ts'
import type { SolveRequest } from '../protocol/control.ts'
import type { BridgeSolveRequest, ReturnRequest } from '../protocol/gateway.ts'
import { RpcStatus } from '../protocol/gateway.ts'
import type { Sessions } from '../session/sessions.ts'
import { cacheSources, checkCacheTargets } from './cache-options.ts'
import { type ExportAnswer, exportResult } from './export-result.ts'
import { readFrontendAttrs, refusal } from './frontend-attrs.ts'
import { KitBuild, type KitPlace } from './kit-build.ts'
import { type Output, readOutput } from './outputs.ts'

export interface SolveParts extends KitPlace {
  sessions: Sessions
  /** All of an image as an archive. */
  save(image: string): Promise<Readable>
}

interface Solve {
  request: SolveRequest
  build: KitBuild
  /** Set once something was prepared that can be built. */
  resultId: string | undefined
  /** What the client says at the end: the id of the result to take, or nothing; or it fails. */
  returned: PromiseWithResolvers<string | undefined>
}

/** How long calls may come before the build that they belong to. */
const patienceMs = 30_000
/** How long a build that is over can still be asked for. */
const afterglowMs = 10_000
const flushMs = 2_000
const maxSolves = 256

export class Solves {
  readonly #parts: SolveParts
  readonly #solves = new AwaitedMap<Solve>()

  constructor(parts: SolveParts) {
    this.#parts = parts
  }

  /** Ends when the build does; what the client is told of the result. */
  async solve(request: SolveRequest, signal: AbortSignal): Promise<ExportAnswer> {
    const outputs = checked(request)
    if (this.#solves.get(request.ref) !== undefined) {
      throw new GrpcFailure(codes.alreadyExists, `a build ${request.ref} is there already`)
    }
    if (this.#solves.size >= maxSolves) throw new GrpcFailure(codes.unavailable, `${maxSolves} builds are open already`)
    const { sessions } = this.#parts
    const build = new KitBuild(this.#parts, () => sessions.wait(request.session, signal), signal)
    const returned = Promise.withResolvers<string | undefined>()
    returned.promise.catch(() => {})
    const solve: Solve = { request, build, resultId: undefined, returned }
    this.#solves.set(request.ref, solve)
    try {
      return await this.#toItsEnd(solve, outputs, signal)
    } finally {
      await build.close()
      await Promise.race([build.feed.isRead, pause(flushMs)])
      setTimeout(() => this.#solves.delete(request.ref, solve), afterglowMs).unref()
    }
  }

  /** Who asks for a build is told of it as it goes. */
  async find(ref: string, signal: AbortSignal): Promise<Solve> {
    const solve = await this.#solves.wait(ref, patienceMs, signal)
    if (solve === undefined) throw new GrpcFailure(codes.notFound, `no such job ${ref}`)
    return solve
  }

  /** Reads a Dockerfile for a build. Returns the id of what would come of it. */
  async prepare(ref: string, asked: BridgeSolveRequest, signal: AbortSignal): Promise<string> {
    const solve = await this.find(ref, signal)
    if (asked.definition.length > 0) throw noGraphs()
    return this.#prepare(solve, asked.frontend, asked.frontendOpt)
  }

  async return(ref: string, { result, error }: ReturnRequest, signal: AbortSignal): Promise<void> {
    const { returned } = await this.find(ref, signal)
    if (error === undefined) returned.resolve(result?.ref?.id || result?.id || undefined)
    else {
      const details = error.details?.length ? RpcStatus.encode(error) : undefined
      returned.reject(new GrpcFailure(error.code || codes.unknown, error.message ?? '', details))
    }
  }

  async #toItsEnd(solve: Solve, outputs: readonly Output[], signal: AbortSignal): Promise<ExportAnswer> {
    const { request, build } = solve
    if (request.frontend !== '') {
      solve.returned.resolve(await this.#prepare(solve, request.frontend, request.frontendAttrs))
    }
    const resultId = await orAborted(solve.returned.promise, signal)
    if (resultId === undefined) return new Map()
    if (resultId !== solve.resultId) throw new GrpcFailure(codes.notFound, `no such result ${resultId}`)
    const { work, save, sessions } = this.#parts
    const session = () => sessions.wait(request.session, signal)
    return build.run((state, place) => exportResult(state, outputs, { ...place, build, work, save, session }))
  }

  async #prepare(solve: Solve, frontend: string, attrs: ReadonlyMap<string, string>): Promise<string> {
    if (frontend !== 'dockerfile.v0') {
      throw refusal(`frontend ${frontend || 'none'}: this engine builds Dockerfiles (dockerfile.v0) only`)
    }
    if (solve.resultId !== undefined) throw refusal('this build has been prepared already')
    const { options, source, unknown } = readFrontendAttrs(attrs, cacheSources(solve.request.cache ?? {}))
    await solve.build.prepare({ options, source, unknown })
    solve.resultId = randomUUID()
    return solve.resultId
  }
}

const noGraphs = () => refusal('graphs that clients make themselves are not built by this engine: Dockerfiles are')

/** What is asked for and cannot be is said before anything is done. */
function checked(request: SolveRequest): Output[] {
  if (request.ref === '') throw new GrpcFailure(codes.invalidArgument, 'the build has no ref')
  if (request.definition.length > 0) throw noGraphs()
  const entitlement = request.entitlements.find((name) => name !== 'network.host')
  if (entitlement !== undefined) throw refusal(`${entitlement} is not granted by this engine`)
  checkCacheTargets(request.cache ?? {})
  const old = request.exporter === '' ? [] : [{ type: request.exporter, attrs: request.exporterAttrs }]
  const asked = request.exporters.length > 0 ? request.exporters : old
  return asked.map(({ type = '', attrs = new Map<string, string>() }) => readOutput({ type, attrs }))
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })

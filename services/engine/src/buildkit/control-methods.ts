// BuildKit's control interface: what a client can ask of the engine's builder.
import { type Call, type Method, type Methods, serverStream, unary } from '../grpc/serve.ts'
import { codes, GrpcFailure } from '../grpc/status.ts'
import { hostPlatform } from '../images/platform.ts'
import type { BuildCache } from '../resources/build/build-cache.ts'
import { engineVersion } from '../resources/system/engine-version.ts'
import { pruneQuery, usageRecord } from './cache-usage.ts'
import {
  DiskUsageRequest,
  DiskUsageResponse,
  Empty,
  InfoResponse,
  ListWorkersResponse,
  PruneRequest,
  SolveRequest,
  SolveResponse,
  StatusRequest,
  StatusResponse,
  UsageRecord,
} from './protocol/control.ts'
import { BridgeSolveRequest, BridgeSolveResponse, PongResponse, ReturnRequest } from './protocol/gateway.ts'
import type { Solves } from './solve/solves.ts'

export interface ControlParts {
  solves: Solves
  cache: BuildCache
  /** Of this engine, for ever. */
  engineId: string
}

export function controlMethods(parts: ControlParts): Methods {
  const named = (service: string, methods: Record<string, Method>): [string, Method][] =>
    Object.entries(methods).map(([name, method]) => [`/${service}/${name}`, method])
  return new Map([
    ...named('moby.buildkit.v1.Control', { ...solving(parts), ...caching(parts), ...describing(parts) }),
    ...named('moby.buildkit.v1.frontend.LLBBridge', bridging(parts)),
  ])
}

const solving = ({ solves }: ControlParts): Record<string, Method> => ({
  Solve: unary(SolveRequest, SolveResponse, async (request, { signal }) => ({
    exporterResponse: await solves.solve(request, signal),
  })),
  Status: serverStream(StatusRequest, StatusResponse, async function* ({ ref }, { signal }) {
    const { build } = await solves.find(ref, signal)
    if (!build.feed.isFree) throw new GrpcFailure(codes.alreadyExists, `somebody listens to ${ref} already`)
    yield* build.feed.read(signal)
  }),
})

/** The build that a call of a frontend belongs to. */
function refOf({ metadata }: Call): string {
  const ref = metadata['buildkit-controlapi-buildid']
  if (typeof ref !== 'string') throw new GrpcFailure(codes.invalidArgument, 'buildkit-controlapi-buildid is missing')
  return ref
}

const bridging = ({ solves }: ControlParts): Record<string, Method> => ({
  Ping: unary(Empty, PongResponse, async (_, call) => {
    await solves.find(refOf(call), call.signal)
    return { frontendCapabilities: [{ id: 'return', isEnabled: true }] }
  }),
  Solve: unary(BridgeSolveRequest, BridgeSolveResponse, async (asked, call) => ({
    result: { ref: { id: await solves.prepare(refOf(call), asked, call.signal) } },
  })),
  Return: unary(ReturnRequest, Empty, async (asked, call) => {
    await solves.return(refOf(call), asked, call.signal)
    return {}
  }),
})

const caching = ({ cache }: ControlParts): Record<string, Method> => ({
  DiskUsage: unary(DiskUsageRequest, DiskUsageResponse, async ({ filters }) => ({
    records: (await cache.list(pruneQuery({ filters }).filters)).map(usageRecord),
  })),
  Prune: serverStream(PruneRequest, UsageRecord, async function* (request) {
    for (const record of await cache.pruned(pruneQuery(request))) yield usageRecord(record)
  }),
})

const describing = ({ engineId }: ControlParts): Record<string, Method> => {
  const version = { package: 'atoll', version: engineVersion }
  return {
    Info: unary(Empty, InfoResponse, async () => ({ version })),
    ListWorkers: unary(Empty, ListWorkersResponse, async () => ({
      records: [
        {
          id: engineId,
          platforms: [hostPlatform],
          version,
          labels: new Map([['org.mobyproject.buildkit.worker.executor', 'atoll']]),
        },
      ],
    })),
  }
}

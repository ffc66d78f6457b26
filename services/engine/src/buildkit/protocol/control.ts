// Messages of BuildKit's control interface, as far as this engine reads and writes them.
import { bool, bytes, int32, int64, map, message, nested, type Read, repeated, string } from '../../grpc/message.ts'

export const Empty = message({})

const Timestamp = message({ seconds: int64(1), nanos: int32(2) })
export type Timestamp = Partial<Read<typeof Timestamp>>

const CacheEntry = message({ type: string(1), attrs: map(2, string) })
const CacheOptions = message({ exports: repeated(nested(4, CacheEntry)), imports: repeated(nested(5, CacheEntry)) })
const Exporter = message({ type: string(1), attrs: map(2, string) })

export const SolveRequest = message({
  ref: string(1),
  /** A graph that the client made itself. */
  definition: bytes(2),
  /** As older clients say it. */
  exporter: string(3),
  exporterAttrs: map(4, string),
  session: string(5),
  frontend: string(6),
  frontendAttrs: map(7, string),
  cache: nested(8, CacheOptions),
  entitlements: repeated(string(9)),
  exporters: repeated(nested(13, Exporter)),
})
export type SolveRequest = Read<typeof SolveRequest>

export const SolveResponse = message({ exporterResponse: map(1, string) })

export const StatusRequest = message({ ref: string(1) })

const Vertex = message({
  digest: string(1),
  inputs: repeated(string(2)),
  name: string(3),
  cached: bool(4),
  started: nested(5, Timestamp),
  completed: nested(6, Timestamp),
  error: string(7),
})
const VertexStatus = message({
  id: string(1),
  vertex: string(2),
  name: string(3),
  current: int64(4),
  total: int64(5),
  timestamp: nested(6, Timestamp),
  started: nested(7, Timestamp),
  completed: nested(8, Timestamp),
})
const VertexLog = message({ vertex: string(1), timestamp: nested(2, Timestamp), stream: int64(3), message: bytes(4) })
const VertexWarning = message({ vertex: string(1), level: int64(2), short: bytes(3) })

export const StatusResponse = message({
  vertexes: repeated(nested(1, Vertex)),
  statuses: repeated(nested(2, VertexStatus)),
  logs: repeated(nested(3, VertexLog)),
  warnings: repeated(nested(4, VertexWarning)),
})
export type StatusResponse = Read<typeof StatusResponse>

const Platform = message({ architecture: string(1), os: string(2), variant: string(3) })
const Version = message({ package: string(1), version: string(2), revision: string(3) })

const Worker = message({
  id: string(1),
  labels: map(2, string),
  platforms: repeated(nested(3, Platform)),
  version: nested(5, Version),
})
export const ListWorkersResponse = message({ records: repeated(nested(1, Worker)) })
export const InfoResponse = message({ version: nested(1, Version) })

export const UsageRecord = message({
  id: string(1),
  isMutable: bool(2),
  isInUse: bool(3),
  size: int64(4),
  createdAt: nested(6, Timestamp),
  lastUsedAt: nested(7, Timestamp),
  usageCount: int64(8),
  description: string(9),
  recordType: string(10),
  isShared: bool(11),
  parents: repeated(string(12)),
})
export const DiskUsageRequest = message({ filters: repeated(string(1)) })
export const DiskUsageResponse = message({ records: repeated(nested(1, UsageRecord)) })
export const PruneRequest = message({
  filters: repeated(string(1)),
  all: bool(2),
  /** Nanoseconds. */
  keepDuration: int64(3),
  reservedSpace: int64(4),
  maxUsedSpace: int64(5),
  minFreeSpace: int64(6),
})
export type PruneRequest = Read<typeof PruneRequest>

export const timestamp = (milliseconds: number): Timestamp => ({
  seconds: BigInt(Math.floor(milliseconds / 1_000)),
  nanos: Math.round((milliseconds % 1_000) * 1e6),
})

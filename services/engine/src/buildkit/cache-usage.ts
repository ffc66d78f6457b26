// The build cache in BuildKit's words.

import type { Read } from '../grpc/message.ts'
import { codes, GrpcFailure } from '../grpc/status.ts'
import type { CacheRecord } from '../images/build-cache.ts'
import type { PruneQuery } from '../resources/build/schema.ts'
import { type PruneRequest, timestamp, type UsageRecord } from './protocol/control.ts'

export const usageRecord = (record: CacheRecord): Partial<Read<typeof UsageRecord>> => ({
  id: record.id,
  isMutable: record.type === 'exec.cachemount',
  isInUse: record.isInUse,
  size: BigInt(Math.round(record.bytes)),
  createdAt: timestamp(record.createdAt),
  lastUsedAt: timestamp(record.usedAt),
  usageCount: BigInt(record.uses),
  description: record.description,
  recordType: record.type,
  isShared: record.isShared,
  parents: record.parent === '' ? [] : [record.parent],
})

const nanosecondsPerSecond = 1_000_000_000n

export function pruneQuery(request: Partial<PruneRequest>): PruneQuery {
  const { filters = [], all = false, keepDuration = 0n, reservedSpace = 0n, maxUsedSpace = 0n } = request
  const read: Record<string, string[]> = {}
  for (const filter of filters.flatMap((each) => each.split(',')).filter(Boolean)) {
    const [, name, value = 'true'] = /^([a-z-]+)(?:[~=]=?(.*))?$/.exec(filter) ?? []
    if (name === undefined) throw new GrpcFailure(codes.invalidArgument, `invalid filter '${filter}'`)
    read[name] = [...(read[name] ?? []), value]
  }
  if (keepDuration > 0n) read.until = [`${keepDuration / nanosecondsPerSecond}s`]
  const keep = Number(reservedSpace > maxUsedSpace ? reservedSpace : maxUsedSpace)
  return { filters: read, all, 'keep-storage': undefined, 'reserved-space': keep > 0 ? keep : undefined }
}

// The cache of builds: what is in it, and what goes.
import { invalidParameter } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { CacheRecord, CacheRecords } from '../../images/build-cache.ts'
import { parseMoment } from '../../images/until.ts'
import type { Filters } from '../query/schema.ts'
import type { BuildCacheRecord } from '../system/schema.ts'
import type { BuildCachePruned, PruneQuery } from './schema.ts'

const knownFilters = ['until', 'unused-for', 'id', 'parent', 'type', 'description', 'inuse', 'shared', 'private']

/** Layers that no image has, and all of them. */
const maxCacheBytes = 32 * 1024 ** 3
const maxCacheRecords = 20_000

export class BuildCache {
  readonly #records: CacheRecords
  readonly #events: EngineEvents
  readonly #now: () => number

  constructor(records: CacheRecords, events: EngineEvents, now: () => number) {
    this.#records = records
    this.#events = events
    this.#now = now
  }

  async prune(query: PruneQuery): Promise<BuildCachePruned> {
    const gone = await this.pruned(query)
    return { CachesDeleted: gone.map(({ id }) => id), SpaceReclaimed: reclaimedBy(gone) }
  }

  /** What is gone now (ENG-648). */
  async pruned(query: PruneQuery): Promise<CacheRecord[]> {
    const matches = this.#matching(query.filters)
    const all = await this.#records.records()
    const candidates = all.filter((record) => !record.isInUse && (query.all || !isKept(record)) && matches(record))
    const gone = overBudget(all, candidates, query['reserved-space'] ?? query['keep-storage'])
    await this.#records.remove(gone)
    this.#events.emit('builder', 'prune', '', { reclaimed: String(reclaimedBy(gone)) })
    return gone
  }

  async list(filters: Filters): Promise<CacheRecord[]> {
    const matches = this.#matching(filters)
    return (await this.#records.records()).filter(matches)
  }

  /** After a build: what was not used for longest goes, when there is too much. */
  async trim(): Promise<void> {
    const layers = this.#records.layers()
    const newest = layers.toSorted((one, other) => other.usedAt - one.usedAt)
    let bytes = 0
    const over = newest.filter((record, at) => {
      bytes += record.isShared ? 0 : record.bytes
      return !record.isInUse && (bytes > maxCacheBytes || at >= maxCacheRecords)
    })
    if (over.length > 0) await this.#records.remove(over)
  }

  async usage(): Promise<BuildCacheRecord[]> {
    return (await this.#records.records()).map((record) => ({
      ID: record.id,
      Parents: record.parent === '' ? [] : [record.parent],
      Type: record.type,
      Description: record.description,
      InUse: record.isInUse,
      Shared: record.isShared,
      Size: record.bytes,
      CreatedAt: new Date(record.createdAt).toISOString(),
      LastUsedAt: new Date(record.usedAt).toISOString(),
      UsageCount: record.uses,
    }))
  }

  #matching(filters: Filters): (record: CacheRecord) => boolean {
    const unknown = Object.keys(filters).find((name) => !knownFilters.includes(name))
    if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
    const { id, parent, type, description } = filters
    const until = [...(filters.until ?? []), ...(filters['unused-for'] ?? [])].map((text) =>
      parseMoment(text, this.#now()),
    )
    const conditions: ((record: CacheRecord) => boolean)[] = [
      (record) => until.every((moment) => record.usedAt < moment),
      (record) => id === undefined || id.some((prefix) => prefix !== '' && record.id.startsWith(prefix)),
      (record) => parent === undefined || parent.includes(record.parent),
      (record) => type === undefined || type.includes(record.type),
      (record) => description === undefined || description.some((words) => record.description.includes(words)),
      (record) => filters.inuse === undefined || record.isInUse,
      (record) => filters.shared === undefined || record.isShared,
      (record) => filters.private === undefined || !record.isShared,
    ]
    return (record) => conditions.every((holds) => holds(record))
  }
}

const reclaimedBy = (gone: readonly CacheRecord[]): number =>
  gone.reduce((sum, { bytes, isShared }) => sum + (isShared ? 0 : bytes), 0)

/** Only with `all`: what an image has anyway frees nothing, and shared folders are dear. */
const isKept = ({ isShared, type }: CacheRecord): boolean => isShared || type === 'exec.cachemount'

/** The longest unused ones, until no more than `keep` bytes are left. */
function overBudget(
  all: readonly CacheRecord[],
  candidates: readonly CacheRecord[],
  keep: number | undefined,
): CacheRecord[] {
  if (keep === undefined || keep <= 0) return [...candidates]
  let left = all.reduce((sum, { bytes }) => sum + bytes, 0)
  const gone: CacheRecord[] = []
  for (const record of candidates.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (left <= keep) break
    gone.push(record)
    left -= record.bytes
  }
  return gone
}

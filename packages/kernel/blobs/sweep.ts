// Finds blobs that no segment refers to (a crash or a lost client left them) and segments whose blob is damaged.
import type { Clock } from '../clock/clock.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import type { BlobStore } from './blobs.ts'
import { allSegments, type BlobSegmentRow, referencedKeys } from './segment-rows.ts'

const keysPerQuery = 500
const looksAtOnce = 16

export interface SweepNeeds {
  db: Database
  blobs: BlobStore
  clock: Clock
  log: Log
  /**
   * Blobs whose writing began less than this ago are left alone: their segment may not be committed yet.
   * It must be longer than the slowest write; for a process that owns the store alone, the time since it opened it.
   */
  graceMs: number
  /** Blobs that this process still reads although nothing refers to them any more. */
  isBeingRead?: (key: string) => boolean
}

export interface SweepResult {
  scanned: number
  removed: number
}

export async function sweep(needs: SweepNeeds): Promise<SweepResult> {
  // Taken once: what begins during the sweep is younger than this, even with no grace at all.
  const before = needs.clock.now() - needs.graceMs
  const result = { scanned: 0, removed: 0 }
  let candidates: string[] = []
  for await (const { key, startedAt } of needs.blobs.list()) {
    result.scanned++
    if (startedAt < before) candidates.push(key)
    if (candidates.length < keysPerQuery) continue
    result.removed += await removeOrphans(needs, candidates)
    candidates = []
  }
  result.removed += await removeOrphans(needs, candidates)
  needs.log.info({ ...result }, 'Swept the blob store')
  return result
}

async function removeOrphans({ db, blobs, log, isBeingRead }: SweepNeeds, keys: string[]): Promise<number> {
  const referenced = await referencedKeys(db.queries, keys)
  let removed = 0
  for (const key of keys) {
    if (referenced.has(key) || isBeingRead?.(key)) continue
    try {
      await blobs.remove(key)
      removed++
    } catch (error) {
      log.warn({ err: error, key }, 'An orphan blob could not be removed; the next sweep will try again')
    }
  }
  return removed
}

export interface DamagedSegment extends BlobSegmentRow {
  /** Undefined: the blob is not there at all. */
  foundBytes: number | undefined
}

/** Segments whose blob is absent or has another size than was recorded. */
export async function missing({ db, blobs }: Pick<SweepNeeds, 'db' | 'blobs'>): Promise<DamagedSegment[]> {
  const damaged: DamagedSegment[] = []
  for await (const page of allSegments(db.queries)) {
    for (let start = 0; start < page.length; start += looksAtOnce) {
      const looks = page.slice(start, start + looksAtOnce).map(async (row) => {
        const foundBytes = await blobs.size(row.key)
        if (foundBytes !== Number(row.bytes)) damaged.push({ ...row, foundBytes })
      })
      await Promise.all(looks)
    }
  }
  return damaged
}

// The documents port over reading processes.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Documents } from './documents.ts'
import { type DocumentLimits, defaultLimits } from './limits.ts'
import { ReaderPool } from './process/reader-pool.ts'
import { Reading } from './process/reading.ts'

export interface DocumentsOptions extends Partial<DocumentLimits> {
  log: Log
}

export function createDocuments({ log, ...given }: DocumentsOptions): Documents & { readonly pids: number[] } {
  const limits = { ...defaultLimits, ...given }
  const pool = new ReaderPool(limits, log)
  return {
    chunks: (source, sizes, options) => new Reading({ source, sizes, options, limits, log }).chunks(pool),
    warm: () => pool.warm(),
    close: () => pool.close(),
    get pids() {
      return pool.pids
    },
  }
}

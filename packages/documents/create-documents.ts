// The documents port over reading processes.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Documents } from './documents.ts'
import { type DocumentLimits, defaultLimits } from './limits.ts'
import { Ocr, type OcrSettings } from './ocr/ocr.ts'
import { problems } from './problems.ts'
import { ReaderPool } from './process/reader-pool.ts'
import { Reading } from './process/reading.ts'

export interface DocumentsOptions extends Partial<DocumentLimits> {
  log: Log
  /** Absent: PDFs of scanned pages are refused. */
  ocr?: OcrSettings | undefined
}

export function createDocuments({ log, ocr: settings, ...given }: DocumentsOptions): Documents & {
  readonly pids: number[]
} {
  const limits = { ...defaultLimits, ...given }
  const pool = new ReaderPool(limits, log)
  const ocr = settings && new Ocr({ settings, limits, log })
  const read: Documents['chunks'] = (source, sizes, options) =>
    new Reading({ source, sizes, options, limits, log }).chunks(pool)
  return {
    recognizes: ocr !== undefined,
    chunks(source, sizes, options) {
      if (!options.isScanned) return read(source, sizes, options)
      if (ocr === undefined) throw problems.scanned()
      return ocr.chunks(source, options.signal, (recognized) => read(recognized, sizes, options))
    },
    warm: () => pool.warm(),
    async close() {
      await Promise.all([pool.close(), ocr?.close()])
    },
    get pids() {
      return pool.pids
    },
  }
}

// Entries of a log file as lines to deliver. The shim keeps a long line in pieces; here the pieces learn that they
// belong together.
import { randomUUID } from 'node:crypto'
import { parseEntry } from '../resources/containers/logs/log-entry.ts'
import type { LogLine } from './log-driver.ts'
import type { OpenParts } from './position.ts'

/** The shim cuts at 16 KiB, or up to three bytes before where a character would be cut. */
const minCutBytes = 16 * 1024 - 3

export class LineParts {
  /** Lines of which more is to come. */
  open: OpenParts

  constructor(open: OpenParts = {}) {
    this.open = open
  }

  read(records: readonly Buffer[]): LogLine[] {
    return records.flatMap((record) => {
      const entry = parseEntry(record)
      return entry === undefined ? [] : [this.#line(entry)]
    })
  }

  #line({ log, stream, time }: LogLine): LogLine {
    const isEnded = log.endsWith('\n')
    const isCut = !isEnded && Buffer.byteLength(log) >= minCutBytes
    const before = this.open[stream]
    const line = { log: isEnded ? log.slice(0, -1) : log, stream, time }
    if (before === undefined && !isCut) return line
    const part = { id: before?.id ?? randomUUID().replaceAll('-', ''), ordinal: (before?.ordinal ?? 0) + 1 }
    this.open = { ...this.open, [stream]: isCut ? part : undefined }
    return { ...line, part: { ...part, isLast: !isCut } }
  }
}

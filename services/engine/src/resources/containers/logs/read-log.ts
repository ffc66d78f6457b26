// A log as clients read it: the past, and for followers what comes, through every rotation. Never more of it in memory
// than a piece.
import type { LogPosition } from '../../../runtime/runtime.ts'
import { LineCursor } from './line-cursor.ts'
import { EntryWriter, isInRange, type LogFormat, type LogRange, parseEntry } from './log-entry.ts'
import { closeQuietly, type LogFile, openLogFiles, openNextFile } from './log-files.ts'
import type { LogWatch } from './log-watch.ts'
import { findTailStart } from './tail-start.ts'

export interface LogReading {
  path: string
  range: LogRange
  format: LogFormat
  /** How many lines from the end; undefined: all. */
  tail: number | undefined
  /**
   * Where it ends, whatever is written later; may become known while it is read. Where that place is no more, the range
   * alone counts.
   */
  end?: () => LogPosition | undefined
  follow: { watch: LogWatch; isLive(): boolean; untilMs: number | undefined; now(): number } | undefined
}

export async function* readLog(reading: LogReading, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { path, tail, range } = reading
  const files = await openLogFiles(path)
  const known = reading.end?.()
  const isCut = known !== undefined && (await cutAfter(files, known))
  const endIn = ({ inode }: LogFile): number => {
    const end = known === undefined || isCut ? reading.end?.() : undefined
    return end === undefined || end.inode !== inode ? Number.POSITIVE_INFINITY : end.position
  }
  // A moment is less exact than a place.
  const printer = new Printer(isCut ? { ...reading, range: { ...range, until: undefined } } : reading)
  let current: LogFile | undefined
  try {
    const handles = files.map(({ handle }) => handle)
    const start = tail === undefined || files.length === 0 ? undefined : await findTailStart(handles, tail, range)
    files.splice(0, start?.file ?? 0).forEach(closeQuietly)
    let position = start?.position ?? 0
    let cursor: LineCursor | undefined
    for (let file = files.shift(); file !== undefined; file = files.shift()) {
      if (current !== undefined) closeQuietly(current)
      current = file
      cursor = new LineCursor(file.handle, position, () => endIn(file))
      position = 0
      yield* printer.print(cursor, signal)
    }
    const { follow } = reading
    while (follow !== undefined && !signal.aborted) {
      const seen = follow.watch.changes
      const isLast = !follow.isLive() || isOver(follow)
      if (current !== undefined && cursor !== undefined) yield* printer.print(cursor, signal)
      for (let next = await openNextFile(path, current); next; next = await openNextFile(path, current)) {
        // Nothing is written to the old file any more: what is left of it comes first.
        if (cursor !== undefined) yield* printer.print(cursor, signal)
        if (current !== undefined) closeQuietly(current)
        current = next
        cursor = new LineCursor(next.handle)
        yield* printer.print(cursor, signal)
      }
      if (isLast) return
      await follow.watch.changedSince(seen, signal, timeLeft(follow))
    }
  } finally {
    for (const file of files) closeQuietly(file)
    if (current !== undefined) closeQuietly(current)
  }
}

class Printer {
  readonly #range: LogRange
  readonly #writer: EntryWriter

  constructor({ range, format }: LogReading) {
    this.#range = range
    this.#writer = new EntryWriter(format)
  }

  async *print(cursor: LineCursor, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let lines = await cursor.next(); lines !== undefined && !signal.aborted; lines = await cursor.next()) {
      const pieces: Buffer[] = []
      for (const line of lines) {
        const entry = parseEntry(line)
        if (entry !== undefined && isInRange(entry, this.#range)) this.#writer.write(entry, pieces)
      }
      if (pieces.length > 0) yield Buffer.concat(pieces)
    }
  }
}

/** Files that were begun after the place do not count. False: the place is not there. */
async function cutAfter(files: LogFile[], { inode, position }: LogPosition): Promise<boolean> {
  const index = files.findIndex((file) => file.inode === inode)
  const { size = 0 } = (await files[index]?.handle.stat()) ?? {}
  // A log of one file may have been emptied since.
  if (index < 0 || size < position) return false
  files.splice(index + 1).forEach(closeQuietly)
  return true
}

const isOver = ({ untilMs, now }: NonNullable<LogReading['follow']>): boolean =>
  untilMs !== undefined && now() >= untilMs

const maxTimerMs = 2 ** 31 - 1
const timeLeft = ({ untilMs, now }: NonNullable<LogReading['follow']>): number | undefined =>
  untilMs === undefined ? undefined : Math.min(maxTimerMs, Math.max(1, untilMs - now()))

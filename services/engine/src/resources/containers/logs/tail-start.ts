// Where the last lines of a log begin, found by reading backwards: a long log costs no more than a short one.
import type { FileHandle } from 'node:fs/promises'
import { maxLineBytes, newline } from './line-cursor.ts'
import { isInRange, type LogRange, parseEntry } from './log-entry.ts'

const blockBytes = 64 * 1024

export interface TailStart {
  /** Index of the file. */
  file: number
  position: number
}

/** The position from which on exactly the last `count` wanted lines follow (fewer, if there are fewer). */
export async function findTailStart(files: readonly FileHandle[], count: number, range: LogRange): Promise<TailStart> {
  const last = files.length - 1
  const { size } = (await files[last]?.stat()) ?? { size: 0 }
  let start: TailStart = { file: last, position: size }
  if (count === 0) return start
  let whole = 0
  let isFirst = true
  for (let file = last; file >= 0; file--) {
    const handle = files[file]
    if (handle === undefined) break
    for await (const { line, position } of linesBackwards(handle)) {
      const entry = parseEntry(line)
      if (entry === undefined) continue
      // Older ones are too old as well.
      if (range.since !== undefined && entry.time < range.since) return start
      if (!isInRange(entry, range)) continue
      // An entry without a line end is the beginning of the one that was counted, except at the very end.
      if (entry.log.endsWith('\n') || isFirst) whole += 1
      if (whole > count) return start
      isFirst = false
      start = { file, position }
    }
  }
  return start
}

async function* linesBackwards(handle: FileHandle): AsyncGenerator<{ line: Buffer; position: number }> {
  let { size: end } = await handle.stat()
  /** The end of a line whose beginning has not been read. */
  let rest: Buffer = Buffer.alloc(0)
  while (end > 0) {
    const from = Math.max(0, end - blockBytes)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(end - from), 0, end - from, from)
    const block = Buffer.concat([buffer.subarray(0, bytesRead), rest])
    let lineEnd = block.length
    for (let at = lastNewline(block, lineEnd); at >= 0; at = lastNewline(block, lineEnd)) {
      if (lineEnd > at + 1) yield { line: block.subarray(at + 1, lineEnd), position: from + at + 1 }
      lineEnd = at
    }
    rest = lineEnd > maxLineBytes ? Buffer.alloc(0) : block.subarray(0, lineEnd)
    end = from
  }
  if (rest.length > 0) yield { line: rest, position: 0 }
}

const lastNewline = (block: Buffer, before: number): number =>
  before === 0 ? -1 : block.lastIndexOf(newline, before - 1)

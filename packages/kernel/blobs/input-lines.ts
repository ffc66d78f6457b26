// The lines of a file, one after the other, with their places; never more than one in memory.
import type { Readable } from 'node:stream'

export interface InputLine {
  /** From 1. */
  number: number
  start: number
  /** Undefined: longer than allowed. */
  text: string | undefined
  bytes: number
}

const newline = 0x0a
/** Some editors begin a file of UTF-8 with it. It belongs to no line. */
const byteOrderMark = Buffer.from('\ufeff')

/** Empty lines are passed over but counted. */
export async function* inputLines(source: Readable, maxLineBytes: number): AsyncGenerator<InputLine> {
  const pieces: Buffer[] = []
  let held = 0
  let start = 0
  let number = 1
  const line = (): InputLine => {
    const whole = (pieces.length === 1 ? pieces[0] : undefined) ?? Buffer.concat(pieces)
    const isMarked = start === 0 && whole.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    const from = isMarked ? byteOrderMark.length : 0
    const bytes = held - from
    return { number, start: start + from, text: bytes > maxLineBytes ? undefined : whole.toString('utf8', from), bytes }
  }
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      const found = line()
      if (found.text === undefined || found.text.trim() !== '') yield found
      start += held + 1
      number++
      pieces.length = 0
      held = 0
      from = at + 1
    }
    add(chunk.subarray(from))
  }
  const last = line()
  if (last.text === undefined || last.text.trim() !== '') yield last

  function add(piece: Buffer): void {
    // Of a line that is too long only the length is of interest.
    if (held <= maxLineBytes + byteOrderMark.length && piece.length > 0) pieces.push(Buffer.from(piece))
    held += piece.length
  }
}

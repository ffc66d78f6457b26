// Text as chunks have it: line ends are \n, no broken characters, in pieces of bounded length.
import type { MarkedText } from '../marks.ts'
import { problems } from '../problems.ts'

const maxPieceLength = 65_536
const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800

export async function* cleanText(pieces: AsyncIterable<MarkedText>, maxLength: number): AsyncGenerator<MarkedText> {
  let held = ''
  let length = 0
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      if (held !== '') yield tidy(held)
      held = ''
      yield piece
      continue
    }
    const text = held + piece
    // Half a line end, or half a character, waits for its other half.
    const isHalf = text.endsWith('\r') || isHighSurrogate(text, text.length - 1)
    held = isHalf ? text.slice(-1) : ''
    for (const clean of parts(tidy(isHalf ? text.slice(0, -1) : text))) {
      length += clean.length
      if (length > maxLength) throw problems.tooMuchText()
      yield clean
    }
  }
  if (held !== '') yield tidy(held)
}

function tidy(text: string): string {
  let tidied = text
  if (tidied.includes('\r')) tidied = tidied.replace(/\r\n?/g, '\n')
  // PostgreSQL keeps no NUL.
  if (tidied.includes('\0')) tidied = tidied.replaceAll('\0', '')
  return tidied.isWellFormed() ? tidied : tidied.toWellFormed()
}

/** An empty text is one part too: it shows that the reader is at work. */
function* parts(text: string): Generator<string> {
  let at = 0
  do {
    let end = Math.min(text.length, at + maxPieceLength)
    if (end < text.length && isHighSurrogate(text, end - 1)) end--
    yield text.slice(at, end)
    at = end
  } while (at < text.length)
}

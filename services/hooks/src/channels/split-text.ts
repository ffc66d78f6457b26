// Cuts a text into pieces that a channel takes: at the end of a paragraph, a line or a word where there is one.

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Pieces of at most `limit`, counted in UTF-16 units or in bytes of UTF-8; never within a character. */
export function splitText(text: string, limit: number, unit: 'characters' | 'bytes' = 'characters'): string[] {
  const size = unit === 'bytes' ? bytesOf : (piece: string) => piece.length
  const pieces: string[] = []
  let rest = text.trim()
  while (size(rest) > limit) {
    const most = longestStart(rest, limit, unit)
    const piece = rest.slice(0, goodEnd(rest, most))
    pieces.push(piece.trimEnd())
    rest = rest.slice(piece.length).trimStart()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** How many units of the text fit at all. */
function longestStart(text: string, limit: number, unit: 'characters' | 'bytes'): number {
  let units = 0
  let used = 0
  for (const character of text) {
    used += unit === 'bytes' ? bytesOf(character) : character.length
    if (used > limit) break
    units += character.length
  }
  return Math.max(units, 1)
}

function goodEnd(text: string, most: number): number {
  const start = text.slice(0, most)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = start.lastIndexOf(mark)
    if (at > most / 2) return at + mark.length
  }
  return most
}

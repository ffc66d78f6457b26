// Long texts in windows the model can read, so that no part of a text is ignored.
import { maxWindowPieces } from './sentence-weights.ts'
import type { WordPieces } from './word-pieces.ts'

/** How far back a window is cut to end with a whole word. */
const maxBackPieces = 32

export interface Window {
  /** Which text it is from. */
  text: number
  pieces: number[]
}

export function cutWindows(texts: readonly string[], words: WordPieces): Window[] {
  return texts.flatMap((text, index) => {
    const pieces = words.encode(text)
    const windows: Window[] = []
    for (let from = 0; from < pieces.length; ) {
      const to = endOfWindow(pieces, from, words)
      windows.push({ text: index, pieces: pieces.slice(from, to) })
      from = to
    }
    return windows
  })
}

function endOfWindow(pieces: readonly number[], from: number, words: WordPieces): number {
  const limit = from + maxWindowPieces
  if (limit >= pieces.length) return pieces.length
  for (let to = limit; to > limit - maxBackPieces; to--) if (words.startsWord(pieces[to] ?? 0)) return to
  return limit
}

// What was heard of an answer that was broken off: the sound up to a moment, and the words that sounded until then.
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Item, SpokenPart, SpokenPiece } from './items.ts'

export function spokenPart(item: Item, contentIndex: number): SpokenPart {
  if (item.type !== 'message' || item.role !== 'assistant' || !item.content.some(({ type }) => type === 'audio')) {
    throw realtimeErrors.notTruncatable(item.id)
  }
  const part = item.content[contentIndex]
  if (part?.type !== 'audio') throw realtimeErrors.noSuchContent(contentIndex)
  return part
}

/** AST-155, AST-156 */
export function truncate(part: SpokenPart, endMs: number): void {
  if (endMs > part.ms) throw realtimeErrors.alreadyShorter(part.ms, endMs)
  part.pieces = part.pieces.filter(({ startMs }) => startMs < endMs).map((piece) => cut(piece, endMs))
  part.transcript = part.pieces
    .map(({ text }) => text)
    .join('')
    .trimEnd()
  part.ms = endMs
}

/** Within a piece, words take time by their letters; one that was not heard to its end is left out. */
function cut(piece: SpokenPiece, endMs: number): SpokenPiece {
  if (piece.endMs <= endMs) return piece
  const share = (endMs - piece.startMs) / (piece.endMs - piece.startMs)
  const letters = Math.floor(piece.text.length * share)
  const text = /\s/.test(piece.text[letters] ?? ' ')
    ? piece.text.slice(0, letters)
    : piece.text.slice(0, letters).replace(/\S+$/, '')
  return { text, startMs: piece.startMs, endMs }
}

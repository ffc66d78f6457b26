// A stored file's bytes, in pieces of a bounded size.
import { Buffer } from 'node:buffer'
import type { DocumentSource } from './documents.ts'
import { problems } from './problems.ts'

const pieceBytes = 256 * 1024

export async function* sourcePieces(source: DocumentSource, maxBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const bytes of readable(source)) {
    total += bytes.length
    if (total > Math.min(source.bytes, maxBytes)) throw problems.unreadable(new Error('more bytes than the file has'))
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  if (total < source.bytes) throw problems.unreadable(new Error(`${source.bytes} bytes expected, ${total} found`))
}

/** Of a small file. */
export async function wholeSource(source: DocumentSource, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of sourcePieces(source, maxBytes)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* readable(source: DocumentSource): AsyncGenerator<Uint8Array> {
  try {
    yield* source.read()
  } catch (error) {
    throw problems.unreadable(error)
  }
}

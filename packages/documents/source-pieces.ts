// A stored file's bytes, in pieces of a bounded size.
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

async function* readable(source: DocumentSource): AsyncGenerator<Uint8Array> {
  try {
    yield* source.read()
  } catch (error) {
    throw problems.unreadable(error)
  }
}

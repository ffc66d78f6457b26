// Messages on a stream: a byte that says whether it is compressed, four for its length, and then itself.
import { codes, GrpcFailure } from './status.ts'

const headBytes = 5

export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, headBytes)
  return framed
}

export async function* readFrames(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  let wanted = headBytes
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.length
    if (length < wanted) continue
    let bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting, length)
    for (wanted = wholeLength(bytes, maxBytes); bytes.length >= wanted; wanted = wholeLength(bytes, maxBytes)) {
      yield bytes.subarray(headBytes, wanted)
      bytes = bytes.subarray(wanted)
    }
    waiting = [bytes]
    length = bytes.length
  }
  if (length > 0) throw new GrpcFailure(codes.internal, 'the stream ended in the midst of a message')
}

/** Of the first message in it, head included, as far as can be told. */
function wholeLength(bytes: Buffer, maxBytes: number): number {
  if (bytes.length < headBytes) return headBytes
  const length = bytes.readUInt32BE(1)
  if (bytes[0] !== 0) throw new GrpcFailure(codes.unimplemented, 'compressed messages are not read here')
  if (length > maxBytes) {
    throw new GrpcFailure(codes.resourceExhausted, `a message of ${length} bytes; at most ${maxBytes} are read`)
  }
  return headBytes + length
}

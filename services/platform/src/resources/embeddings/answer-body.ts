// The JSON of an embeddings answer. A large one is written in slices, with a pause after each in which others get
// their turn: 2048 embeddings are some 40 MB of text.
import { endianness } from 'node:os'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { EmbedAnswer } from '@atoll/models/embed'
import { maxFloatBytes, writeFloat } from './float-text.ts'
import type { EncodingFormat } from './schema.ts'

const maxSliceNumbers = 24_576
const comma = 0x2c
const isBigEndian = endianness() === 'BE'

export function answerBody(answer: EmbedAnswer, format: EncodingFormat): Buffer | Readable {
  const slices = answerSlices(answer, format)
  const numbers = answer.vectors.reduce((sum, { length }) => sum + length, 0)
  if (numbers <= maxSliceNumbers) return Buffer.concat([...slices])
  return Readable.from(withPauses(slices), { objectMode: false })
}

async function* withPauses(slices: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const slice of slices) {
    yield slice
    await setImmediate()
  }
}

function* answerSlices({ vectors, model, promptTokens }: EmbedAnswer, format: EncodingFormat): Generator<Buffer> {
  yield Buffer.from('{"object":"list","data":[')
  let entries: Buffer[] = []
  let numbers = 0
  for (const [index, vector] of vectors.entries()) {
    const start = `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":`
    entries.push(format === 'float' ? floatEntry(start, vector) : Buffer.from(`${start}"${base64(vector)}"}`))
    numbers += vector.length
    if (numbers < maxSliceNumbers) continue
    yield Buffer.concat(entries)
    entries = []
    numbers = 0
  }
  yield Buffer.concat(entries)
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  yield Buffer.from(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`)
}

function floatEntry(start: string, vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(start.length + vector.length * (maxFloatBytes + 1) + 3)
  let at = bytes.write(`${start}[`, 'latin1')
  for (let index = 0; index < vector.length; index++) {
    if (index > 0) bytes[at++] = comma
    at = writeFloat(bytes, at, vector[index] ?? 0)
  }
  at += bytes.write(']}', at, 'latin1')
  return bytes.subarray(0, at)
}

/** Little-endian float32. INF-093 */
function base64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  return (isBigEndian ? Buffer.from(bytes).swap32() : bytes).toString('base64')
}

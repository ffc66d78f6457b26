// The program of a reading process: text and chunks out of one file after the other.
import { Chunker } from '../chunking/chunker.ts'
import { type DocumentChunk, DocumentProblem, NoText } from '../documents.ts'
import { problems } from '../problems.ts'
import { cleanText } from '../reading/clean-text.ts'
import { extensionOf } from '../reading/kind.ts'
import { readText } from '../reading/read-text.ts'
import type { FromReader, ReadingTask, ToReader } from './messages.ts'

const signOfLifeMs = 1_000

let hear: (message: ToReader) => void = () => undefined
process.on('message', (message: ToReader) => hear(message))
// Its user went away: so does it.
process.on('disconnect', () => process.exit(0))

function ask(message: FromReader): Promise<ToReader> {
  const { promise, resolve } = Promise.withResolvers<ToReader>()
  hear = resolve
  process.send?.(message, undefined, undefined, () => {})
  return promise
}

async function* incoming(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const message = await ask({ type: 'more' })
    if (message.type !== 'bytes') return
    yield message.bytes
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Resolves to the last chunks. */
async function read(task: ReadingTask, pieces: AsyncIterable<Uint8Array>): Promise<DocumentChunk[]> {
  const { filename, bytes, sizes, from, limits } = task
  const chunker = new Chunker(sizes, filename)
  const text = cleanText(readText({ filename, bytes, pieces }, limits), limits.textLength)
  let lastSpoke = Date.now()
  let count = 0
  const wantedOf = (chunks: DocumentChunk[]): DocumentChunk[] => {
    if (chunker.seenTokens > limits.textTokens) throw problems.tooManyTokens(limits.textTokens)
    count += chunks.length
    return chunks.filter(({ ordinal }) => ordinal >= from)
  }
  const tell = async (wanted: DocumentChunk[]): Promise<void> => {
    if (wanted.length > 0) await ask({ type: 'chunks', chunks: wanted })
    else if (Date.now() - lastSpoke > signOfLifeMs) await ask({ type: 'working' })
    else return
    lastSpoke = Date.now()
  }
  for await (const piece of text) await tell(wantedOf([...chunker.add(piece)]))
  const last = wantedOf([...chunker.finish()])
  if (count === 0) throw extensionOf(filename) === 'pdf' ? problems.noTextInPdf() : problems.noText()
  return last
}

/** A failed allocation is the file's doing; anything unforeseen is ours. */
function problemOf(error: unknown): DocumentProblem {
  if (error instanceof DocumentProblem) return error
  const isMemory = error instanceof RangeError && /allocation|string length|array length/i.test(error.message)
  return isMemory ? problems.tooMuchMemory() : problems.readerFailed(error)
}

async function answer({ task, whole: bytes }: ToReader & { type: 'read' }): Promise<ToReader> {
  try {
    const chunks = await read(task, bytes === undefined ? incoming() : whole(bytes))
    return await ask({ type: 'done', chunks, residentBytes: process.memoryUsage.rss() })
  } catch (error) {
    const problem = problemOf(error)
    const { code, message, cause } = problem
    const mayBeScanned = problem instanceof NoText ? problem.mayBeScanned : undefined
    const residentBytes = process.memoryUsage.rss()
    const reason = cause instanceof Error ? (cause.stack ?? cause.message) : ''
    return await ask({ type: 'problem', code, message, cause: reason, mayBeScanned, residentBytes })
  }
}

let message = await new Promise<ToReader>((resolve) => {
  hear = resolve
})
while (message.type === 'hello' || message.type === 'read') {
  message = message.type === 'hello' ? await ask({ type: 'working' }) : await answer(message)
}
process.exit(1)

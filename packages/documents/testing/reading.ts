// Reads files with a real reading process.
import { silentLog } from '@atoll/testkit/silent-log'
import { afterAll } from 'vitest'
import { createDocuments, type DocumentsOptions } from '../create-documents.ts'
import type { ChunkSizes, DocumentChunk, DocumentSource, Documents } from '../documents.ts'
import { fileOf } from './source.ts'

export const automatic: ChunkSizes = { maxTokens: 800, overlapTokens: 400 }

/** Bytes that are made while they are read. */
export const madeFile = (filename: string, piece: Uint8Array, count: number): DocumentSource => ({
  filename,
  bytes: piece.length * count,
  async *read() {
    for (let index = 0; index < count; index++) yield piece
  },
})

/** Closed after the test file. */
export function testDocuments(limits: Partial<DocumentsOptions> = {}): ReturnType<typeof createDocuments> {
  const documents = createDocuments({ log: silentLog, ...limits })
  afterAll(() => documents.close())
  return documents
}

export async function chunksOf(
  documents: Documents,
  source: DocumentSource,
  {
    sizes = automatic,
    from = 0,
    signal = new AbortController().signal,
    turn = 'someone',
    isOneOfMany = false,
    isScanned = false,
  } = {},
): Promise<DocumentChunk[]> {
  const chunks: DocumentChunk[] = []
  const options = { signal, from, turn, isOneOfMany, isScanned }
  for await (const chunk of documents.chunks(source, sizes, options)) chunks.push(chunk)
  return chunks
}

/** Of a file that fits into one chunk. */
export async function textOf(documents: Documents, filename: string, content: string | Uint8Array): Promise<string> {
  const chunks = await chunksOf(documents, fileOf(filename, content))
  return chunks.map(({ text }) => text).join('')
}

// Chunks put together for one call of the model.
import type { DocumentChunk } from '@atoll/documents/documents'

/** Enough to keep a model busy; few enough for any server and for one transaction. */
const maxChunks = 32
const maxTokens = 32_768

export async function* inBatches(chunks: AsyncIterable<DocumentChunk>): AsyncGenerator<DocumentChunk[]> {
  let batch: DocumentChunk[] = []
  let tokens = 0
  for await (const chunk of chunks) {
    if (batch.length > 0 && (batch.length >= maxChunks || tokens + chunk.tokens > maxTokens)) {
      yield batch
      batch = []
      tokens = 0
    }
    batch.push(chunk)
    tokens += chunk.tokens
  }
  if (batch.length > 0) yield batch
}

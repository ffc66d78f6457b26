// Chunks put together for one call of the model.
import type { DocumentChunk } from '@atoll/documents/documents'

/** Few enough for any server. */
const maxChunks = 64

/** One chunk at least, and no more than so many tokens; asked for each anew. */
export async function* inBatches(
  chunks: AsyncIterable<DocumentChunk>,
  maxTokens: () => number,
): AsyncGenerator<DocumentChunk[]> {
  let batch: DocumentChunk[] = []
  let tokens = 0
  for await (const chunk of chunks) {
    if (batch.length > 0 && (batch.length >= maxChunks || tokens + chunk.tokens > maxTokens())) {
      yield batch
      batch = []
      tokens = 0
    }
    batch.push(chunk)
    tokens += chunk.tokens
  }
  if (batch.length > 0) yield batch
}

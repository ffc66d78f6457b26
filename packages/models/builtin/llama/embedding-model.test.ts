import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { type RandomModel, writeRandomModel } from '../../testing/random-gguf.ts'
import { LlamaEmbeddings } from './embedding-model.ts'
import { LlamaEngine } from './llama-engine.ts'
import { LlamaSettings } from './settings.ts'

const call = { signal: new AbortController().signal, turn: 'a' }

async function withModel(model: RandomModel, work: (embed: (request: object) => Promise<unknown>) => Promise<void>) {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength: 128, ...model })
  const settings = LlamaSettings.parse({ kind: 'llama', file })
  const embeddings = new LlamaEmbeddings(
    new LlamaEngine(settings, { log: silentLog, memory: new MemoryBudget() }),
    settings,
    silentLog,
  )
  const blank = { dimensions: undefined, user: undefined }
  await work((request) => embeddings.embed({ ...blank, ...request } as never, call))
  await embeddings.close()
}

it('gives vectors of length 1, the same for the same text, other ones for others', async () => {
  await withModel({ pooling: 'mean' }, async (embed) => {
    const inputs = ['one thing', 'another', 'one thing', ...Array.from({ length: 30 }, (_, index) => `text ${index}`)]
    const answer = (await embed({ inputs })) as { vectors: Float32Array[]; promptTokens: number; model: string }
    const [first, second, third] = answer.vectors
    expect(answer).toMatchObject({ model: 'random', promptTokens: expect.any(Number) })
    expect(answer.vectors).toHaveLength(33)
    expect(first).toHaveLength(64)
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 5)
    expect(third).toEqual(first)
    expect(second).not.toEqual(first)
    const short = (await embed({ inputs: ['one thing'], dimensions: 16 })) as { vectors: Float32Array[] }
    expect(short.vectors[0]).toHaveLength(16)
    expect(Math.hypot(...(short.vectors[0] ?? []))).toBeCloseTo(1, 5)
  })
})

it('says which input is too long, has foreign tokens, or asks for too many numbers', async () => {
  await withModel({ pooling: 'mean' }, async (embed) => {
    const inputs = [...Array.from({ length: 20 }, () => 'x'), 'x'.repeat(300)]
    await expect(embed({ inputs })).rejects.toMatchObject({ detail: { kind: 'context_length', param: 'input[20]' } })
    await expect(embed({ inputs: [[99_999]] })).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'input' } })
    const wide = embed({ inputs: ['x'], dimensions: 65 })
    await expect(wide).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'dimensions' } })
  })
})

it('refuses a model that was not made for embeddings', async () => {
  await withModel({}, async (embed) => {
    await expect(embed({ inputs: ['x'] })).rejects.toMatchObject({ detail: { kind: 'unsupported', param: 'model' } })
  })
})

import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { readGguf } from '../../gguf/read.ts'
import type { ModelProblem } from '../../problem.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { type RandomModel, writeRandomModel } from '../../testing/random-gguf.ts'
import { loadAddon } from './addon.ts'
import { LlamaEmbeddings } from './embedding-model.ts'
import { LlamaEngine } from './llama-engine.ts'
import { planEmbeddings } from './plan-embeddings.ts'
import { LlamaSettings } from './settings.ts'

const never = new AbortController().signal
const call = { signal: never, turn: 'a' }
const blank = { dimensions: undefined, user: undefined }

async function newModel(model: RandomModel, memory = new MemoryBudget()): Promise<LlamaEmbeddings> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength: 128, pooling: 'mean', ...model })
  const settings = LlamaSettings.parse({ kind: 'llama', file })
  const needs = { log: silentLog, memory }
  return new LlamaEmbeddings(new LlamaEngine(settings, needs), settings, needs)
}

async function withModel(model: RandomModel, work: (embed: (request: object) => Promise<unknown>) => Promise<void>) {
  const embeddings = await newModel(model)
  await work((request) => embeddings.embed({ ...blank, ...request } as never, call))
  await embeddings.close()
}

const tokens = (count: number): number[] => Array.from({ length: count }, (_, at) => 10 + ((at * 7) % 200))

/** By llama.cpp itself, all tokens in one step. */
async function inOneStep(file: string, input: readonly number[]): Promise<Float32Array> {
  const addon = await loadAddon(() => {})
  const model = new addon.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: true, checkTensors: true })
  await model.init()
  const size = { contextSize: input.length, batchSize: input.length, sequences: 1, threads: 1 }
  const context = new addon.AddonContext(model, { ...size, flashAttention: false, embeddings: true })
  await context.init()
  context.initBatch(input.length)
  context.addToBatch(0, 0, Uint32Array.from(input), Uint32Array.from(input.keys()))
  await context.decodeBatch()
  const numbers = context.getEmbedding(input.length)
  const length = Math.hypot(...numbers)
  await context.dispose()
  await model.dispose()
  return Float32Array.from(numbers, (value) => value / length)
}

it('gives vectors of length 1, the same for the same text, other ones for others', async () => {
  await withModel({}, async (embed) => {
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
  await withModel({}, async (embed) => {
    const inputs = [...Array.from({ length: 20 }, () => 'x'), 'x'.repeat(300)]
    await expect(embed({ inputs })).rejects.toMatchObject({ detail: { kind: 'context_length', param: 'input[20]' } })
    await expect(embed({ inputs: [[99_999]] })).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'input' } })
    const wide = embed({ inputs: ['x'], dimensions: 65 })
    await expect(wide).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'dimensions' } })
  })
})

it('refuses a model that was not made for embeddings', async () => {
  await withModel({ pooling: undefined }, async (embed) => {
    await expect(embed({ inputs: ['x'] })).rejects.toMatchObject({ detail: { kind: 'unsupported', param: 'model' } })
  })
})

it.each([
  ['the mean of its tokens', { pooling: 'mean' }],
  ['its last token', { pooling: 'last' }],
  ['the mean of tokens that look ahead', { pooling: 'mean', looksAhead: true }],
] as const)('gives a long input the vector that one step would: %s', async (_, kind) => {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength: 1_024, ...kind })
  const settings = LlamaSettings.parse({ kind: 'llama', file })
  const needs = { log: silentLog, memory: new MemoryBudget() }
  const embeddings = new LlamaEmbeddings(new LlamaEngine(settings, needs), settings, needs)
  for (const count of [3, 64, 300, 900]) {
    const { vectors } = await embeddings.embed({ ...blank, inputs: [tokens(count)] }, call)
    const expected = await inOneStep(file, tokens(count))
    const cosine = expected.reduce((sum, value, at) => sum + value * (vectors[0]?.[at] ?? 0), 0)
    expect(cosine, `${count} tokens`).toBeCloseTo(1, 4)
  }
  await embeddings.close()
})

it('computes a few words beside a long input of someone else, not behind it', async () => {
  const large = { layers: 4, width: 256, contextLength: 1_024 }
  for (const model of [large, { ...large, looksAhead: true }]) {
    const embeddings = await newModel(model)
    const words = { ...blank, inputs: ['a few words'] }
    await embeddings.embed(words, call)
    const ends: string[] = []
    const long = embeddings.embed({ ...blank, inputs: [tokens(1_000)] }, call).then(() => ends.push('long'))
    for (let nth = 0; nth < 3; nth++) {
      await embeddings.embed(words, { signal: never, turn: 'b' })
      ends.push('short')
    }
    await long
    expect(ends).toEqual(['short', 'short', 'short', 'long'])
    await embeddings.close()
  }
}, 120_000)

it('refuses a text that is far too long without reading it to its end', async () => {
  await withModel({}, async (embed) => {
    const problem = (await embed({ inputs: ['some words '.repeat(500_000)] }).catch((error) => error)) as ModelProblem
    expect(problem.detail).toMatchObject({ kind: 'context_length', param: 'input', atLeast: true })
    expect(problem.detail).toHaveProperty(
      'requestedTokens',
      expect.toSatisfy((count: number) => count < 10_000),
    )
  })
})

it('has its place in the memory that models share, and leaves it for another when nobody asks', async () => {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength: 128, pooling: 'mean' })
  const wishes = LlamaSettings.parse({ kind: 'llama', file })
  const { memoryBytes } = planEmbeddings(await readGguf(file), wishes, 1)
  const memory = new MemoryBudget(memoryBytes * 1.5)
  const [first, second] = [await newModel({}, memory), await newModel({}, memory)]
  const ask = (model: LlamaEmbeddings): Promise<unknown> => model.embed({ ...blank, inputs: ['x'] }, call)
  await ask(first)
  expect(first.pid).toBeDefined()
  await ask(second)
  expect(first.pid).toBeUndefined()
  await ask(first)
  expect(second.pid).toBeUndefined()
  const none = await newModel({}, new MemoryBudget(memoryBytes / 2))
  await expect(ask(none)).rejects.toMatchObject({ detail: { kind: 'not_installed' } })
  await Promise.all([first, second, none].map((model) => model.close()))
})

it('takes inputs as long as the memory for one holds, unless it is told a length', async () => {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength: 1_000_000, heads: 4, pooling: 'mean', looksAhead: true })
  const info = await readGguf(file)
  const plan = planEmbeddings(info, { contextLength: undefined, cacheMegabytes: 64 }, 8)
  expect(plan.contextLength).toBeGreaterThan(1_000)
  expect(plan.contextLength).toBeLessThan(2_100)
  expect(plan.memoryBytes).toBeLessThan(info.fileBytes + 100 * 1024 ** 2)
  expect(plan.lanes.reduce((sum, { threads }) => sum + threads, 0)).toBe(8)
  expect(planEmbeddings(info, { contextLength: 4_096, cacheMegabytes: 64 }, 1).contextLength).toBe(4_096)
  const inSlices = planEmbeddings({ ...info, isCausal: true }, { contextLength: undefined, cacheMegabytes: 64 }, 1)
  expect(inSlices.contextLength).toBeGreaterThan(2 * plan.contextLength)
})

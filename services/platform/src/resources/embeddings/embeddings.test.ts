import { Encoder } from '@atoll/models/builtin/embeddings/encoder'
import { createEmbeddingsRuntime } from '@atoll/models/builtin/embeddings/runtime'
import { aboutModel } from '@atoll/models/builtin/embeddings/tables'
import type { Runtime } from '@atoll/models/runtime'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { silentLog } from '@atoll/testkit/silent-log'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import { describePlatformOnSqlite, type StartPlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { errorOf } from '../../testing/requests.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { EmbeddingList } from './schema.ts'

const small = 'text-embedding-3-small'
const encoder = new Encoder({ log: silentLog })
/** Loading is no test's own time. */
const loadMs = 60_000
beforeAll(() => encoder.short(['load'], { turn: 'none', signal: new AbortController().signal }), loadMs)
afterAll(() => encoder.close())

/** As they are by default, but with a model that all tests share. */
const shared = (dimensions: number, shortens: boolean): Runtime => ({
  ...createEmbeddingsRuntime({ dimensions, shortens }, encoder),
  close: async () => undefined,
})
const runtimes = {
  'builtin-embeddings': shared(1536, true),
  'builtin-embeddings-large': shared(3072, true),
  'builtin-embeddings-fixed': shared(1536, false),
}

const embed = (platform: TestPlatform, input: unknown, more: object = {}) =>
  platform.post('/v1/embeddings', { model: small, input, ...more })

async function listOf(response: { status: number; json(): Promise<unknown> }): Promise<z.infer<typeof EmbeddingList>> {
  const body = await response.json()
  expect(response.status, JSON.stringify(body).slice(0, 500)).toBe(200)
  checkPublished('CreateEmbeddingResponse', withFloats(body))
  return EmbeddingList.strict().parse(body)
}

/** The published schema knows numbers alone, not the base64 that the API gives on request. */
function withFloats(body: unknown): unknown {
  const { data, ...rest } = body as z.infer<typeof EmbeddingList>
  return { ...rest, data: data.map((entry) => ({ ...entry, embedding: floatsOf(entry.embedding) })) }
}

function floatsOf(embedding: string | readonly number[]): number[] {
  if (typeof embedding !== 'string') return [...embedding]
  const bytes = Buffer.from(embedding, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

const vectorsOf = async (platform: TestPlatform, input: unknown, more: object = {}): Promise<number[][]> =>
  (await listOf(await embed(platform, input, more))).data.map(({ embedding }) => floatsOf(embedding))

const cosine = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0)

/** Seconds of work. */
const muchText = Array.from({ length: 1000 }, (_, index) => `text ${index} `.repeat(1_000))

const start = (starting: StartPlatform) => starting({ runtimes })

describePlatformOnSqlite('embeddings', (starting) => {
  it('INF-089 INF-090 INF-091 INF-094 answers a string with a list of one embedding of 1536 numbers', async () => {
    const platform = await start(starting)
    const list = await listOf(await embed(platform, 'The food was delicious.'))
    expect(list).toMatchObject({ object: 'list', model: aboutModel.name, usage: { prompt_tokens: 5, total_tokens: 5 } })
    expect(list.data).toMatchObject([{ object: 'embedding', index: 0 }])
    expect(list.data[0]!.embedding).toHaveLength(1536)
    expect(Math.hypot(...floatsOf(list.data[0]!.embedding))).toBeCloseTo(1, 5)
  })

  it('INF-095 answers strings in their order, similar ones nearer than others', async () => {
    const platform = await start(starting)
    const [cat, kitten, stocks, again] = await vectorsOf(platform, [
      'A cat sleeps on the sofa.',
      'A kitten naps on the couch.',
      'The central bank raised interest rates.',
      'A cat sleeps on the sofa.',
    ])
    expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, stocks) + 0.2)
    expect(cosine(cat, again)).toBeCloseTo(1, 5)
  })

  it('INF-096 INF-097 takes tokens for the text they stand for', async () => {
    const platform = await start(starting)
    const texts = ['How do I reset my password?', 'Großes Kino: 日本語 🙂']
    const expected = await listOf(await embed(platform, texts))
    const lists = await listOf(
      await embed(
        platform,
        texts.map((text) => encode(text)),
      ),
    )
    expect(lists.data).toEqual(expected.data)
    expect(lists.usage).toEqual(expected.usage)
    const [one] = await vectorsOf(platform, encode(texts[0]!))
    expect(cosine(one, floatsOf(expected.data[0]!.embedding))).toBeCloseTo(1, 5)
  })

  it('INF-092 INF-093 gives base64 of little-endian float32 that equals the floats exactly', async () => {
    const platform = await start(starting)
    const floats = await listOf(await embed(platform, ['one', 'two'], { encoding_format: 'float' }))
    const base64 = await listOf(await embed(platform, ['one', 'two'], { encoding_format: 'base64' }))
    expect(base64.data.every(({ embedding }) => typeof embedding === 'string')).toBe(true)
    const exact = floats.data.map(({ embedding }) => floatsOf(embedding).map(Math.fround))
    expect(base64.data.map(({ embedding }) => floatsOf(embedding))).toEqual(exact)
    const refused = await embed(platform, 'one', { encoding_format: 'hex' })
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({
      param: 'encoding_format',
      message: expect.stringContaining("'base64'"),
    })
  })

  it('shortens to the dimensions asked for where the model allows it', async () => {
    const platform = await start(starting)
    const texts = [
      'A cat sleeps on the sofa.',
      'A kitten naps on the couch.',
      'The central bank raised interest rates.',
    ]
    const whole = await vectorsOf(platform, texts)
    for (const dimensions of [1, 64, 256, 1024, 1536]) {
      const short = await vectorsOf(platform, texts, { dimensions })
      expect(short.map(({ length }) => length)).toEqual([dimensions, dimensions, dimensions])
      for (const vector of short) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      if (dimensions >= 64) expect(cosine(short[0], short[1])).toBeGreaterThan(cosine(short[0], short[2]) + 0.1)
      if (dimensions === 1536) expect(cosine(short[0], short[1])).toBeCloseTo(cosine(whole[0], whole[1]), 5)
    }
    const [large] = await vectorsOf(platform, 'x', { model: 'text-embedding-3-large' })
    expect(large).toHaveLength(3072)
    const [cut] = await vectorsOf(platform, 'x', { model: 'text-embedding-3-large', dimensions: 3071 })
    expect(cut).toHaveLength(3071)
  })

  it('refuses dimensions a model does not have', async () => {
    const platform = await start(starting)
    for (const [dimensions, model, message] of [
      [1537, small, '1536'],
      [0, small, '1'],
      [1.5, small, 'integer'],
      [256, 'text-embedding-ada-002', 'This model does not support specifying dimensions.'],
    ] as const) {
      const refused = await embed(platform, 'x', { dimensions, model })
      expect(refused.status).toBe(400)
      expect(await errorOf(refused)).toMatchObject({ param: 'dimensions', message: expect.stringContaining(message) })
    }
  })

  it('INF-098 INF-099 INF-100 INF-101 refuses what is missing, empty, of a wrong form or unknown', async () => {
    const platform = await start(starting)
    const wrong: [body: object, param: string, code: string | null][] = [
      [{ model: small }, 'input', 'missing_required_parameter'],
      [{ input: 'x' }, 'model', 'missing_required_parameter'],
      [{ model: small, input: '' }, 'input', 'string_below_min_length'],
      [{ model: small, input: ['a', ''] }, 'input[1]', 'string_below_min_length'],
      [{ model: small, input: [] }, 'input', 'empty_array'],
      [{ model: small, input: [[1], []] }, 'input[1]', 'empty_array'],
      [{ model: small, input: 7 }, 'input', 'invalid_type'],
      [{ model: small, input: ['a', 1] }, 'input[1]', 'invalid_type'],
      [{ model: small, input: [1, 'a'] }, 'input[1]', 'invalid_type'],
      [{ model: small, input: [[1.5]] }, 'input[0][0]', 'invalid_type'],
      [{ model: small, input: [-1] }, 'input[0]', 'integer_below_min_value'],
      [{ model: small, input: [5, 100_256] }, 'input', 'invalid_value'],
      [{ model: small, input: 'x', user: 5 }, 'user', 'invalid_type'],
      [{ model: small, input: 'x', dimension: 5 }, 'dimension', 'unknown_parameter'],
    ]
    for (const [body, param, code] of wrong) {
      const refused = await platform.post('/v1/embeddings', body)
      expect(refused.status, JSON.stringify(body)).toBe(400)
      expect(await errorOf(refused), JSON.stringify(body)).toMatchObject({ param, code, type: 'invalid_request_error' })
    }
    const { message } = await errorOf(await platform.post('/v1/embeddings', { model: small, input: 7 }))
    expect(message).toContain('expected a string, or an array of strings, of tokens, or of arrays of tokens, but got')
    expect((await embed(platform, 'x', { user: 'user-1234' })).status).toBe(200)
    expect((await embed(platform, 'x', { model: 'no-such-model' })).status).toBe(404)
    const chat = await embed(platform, 'x', { model: 'gpt-4o' })
    expect(chat.status).toBeGreaterThanOrEqual(400)
    expect(await errorOf(chat)).toMatchObject({ param: 'model' })
  })

  it('INF-222 takes 8192 tokens and refuses one more, as text and as tokens', async () => {
    const platform = await start(starting)
    const newline = encode('\n')[0]!
    const words = (count: number): string => ' word'.repeat(count)
    const most = await listOf(await embed(platform, [Array(8192).fill(newline), encode(words(300))]))
    expect(most.usage.prompt_tokens).toBe(8192 + 300)
    const tooLong = [
      ['input', words(8193)],
      ['input[1]', ['short', words(8193)]],
      ['input', [Array(8193).fill(newline)]],
      ['input', 'x'.repeat(2_000_000)],
    ] as const
    for (const [param, input] of tooLong) {
      const refused = await embed(platform, input)
      expect(refused.status).toBe(400)
      const { message, ...error } = await errorOf(refused)
      expect(error).toMatchObject({ param })
      expect(message).toContain("This model's maximum context length is 8192 tokens")
    }
  })

  it('refuses more than 300,000 tokens in all, and says so', async () => {
    const platform = await start(starting)
    const refused = await embed(platform, Array(37).fill(Array(8192).fill(1234)))
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ message: expect.stringContaining('more than 300000 numbers') })
  })

  it('INF-223 takes 2048 inputs in one request and refuses 2049', async () => {
    const platform = await start(starting)
    const texts = Array.from({ length: 2048 }, (_, index) => `${index}`)
    const list = await listOf(await embed(platform, texts, { dimensions: 64 }))
    expect(list.data.map(({ index }) => index)).toEqual(texts.map(Number))
    const [seven] = await vectorsOf(platform, '7', { dimensions: 64 })
    expect(cosine(seven, floatsOf(list.data[7]!.embedding))).toBeCloseTo(1, 4)
    const refused = await embed(platform, [...texts, '2048'])
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ param: 'input', code: 'array_above_max_length' })
  }, 120_000)

  it('INF-089 INF-095 serves both generations of the official client', async () => {
    const platform = await start(starting)
    const options = { baseURL: `${platform.url}/v1`, apiKey: platform.apiKey, maxRetries: 0 }
    const input = ['first', 'second']
    const older = await new OpenAI4(options).embeddings.create({ model: small, input })
    // Asks for base64 by itself and gives floats.
    const newer = await new OpenAI6(options).embeddings.create({ model: small, input })
    expect(older.data.map(({ embedding }) => embedding.map(Math.fround))).toEqual(
      newer.data.map(({ embedding }) => Array.from(embedding)),
    )
    await expect(new OpenAI6(options).embeddings.create({ model: small, input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
    })
  })

  it('writes down what was used, and tells where the project stands', async () => {
    const platform = await start(starting)
    const response = await embed(platform, 'The food was delicious.')
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toMatch(/^\d+$/)
    await listOf(response)
    await platform.platform.inference.usage.flush()
    const rows = await platform.kernel.db.queries.selectFrom('usage_events').selectAll().execute()
    expect(rows).toMatchObject([
      { operation: 'embeddings', model: small, answered_by: aboutModel.name, input_tokens: 5, output_tokens: 0 },
    ])
  })

  it('stops the work of a client that leaves', async () => {
    const platform = await start(starting)
    const leaving = new AbortController()
    const request = fetch(`${platform.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: small, input: muchText }),
      signal: leaving.signal,
    })
    await waitUntil(() => encoder.pendingInputs === 1000)
    leaving.abort()
    await expect(request).rejects.toThrow()
    await waitUntil(() => encoder.pendingInputs === 0)
    expect((await embed(platform, 'still there')).status).toBe(200)
  })

  it('lets another project in while a large request is being worked on', async () => {
    const platform = await start(starting)
    const other = await platform.addProject('other')
    const leaving = new AbortController()
    const large = fetch(`${platform.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: small, input: muchText }),
      signal: leaving.signal,
    })
    await waitUntil(() => encoder.pendingInputs === 1000)
    expect((await embed(other, 'just one')).status).toBe(200)
    expect(encoder.pendingInputs).toBe(1000)
    leaving.abort()
    await expect(large).rejects.toThrow()
  })

  it('says so when the model ends half-way, and works again at the next request', async () => {
    const platform = await start(starting)
    const unlucky = embed(platform, muchText)
    await waitUntil(() => encoder.pendingInputs === 1000)
    await encoder.close()
    const failed = await unlucky
    expect(failed.status).toBe(500)
    expect(await errorOf(failed)).toMatchObject({ type: 'server_error', message: expect.stringContaining('try again') })
    expect((await embed(platform, 'back again')).status).toBe(200)
  })
})

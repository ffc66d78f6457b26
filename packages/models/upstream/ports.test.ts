import { describe, expect } from 'vitest'
import type { ModerationInput } from '../moderate.ts'
import type { TextRequest } from '../text.ts'
import { event, sendJson, startEvents, usage } from './testing/model-server.ts'
import { call, collect, it, plainSampling, problemOf, upstreamDetail } from './testing/upstream-test.ts'

const prompt = (more: Partial<TextRequest> = {}): TextRequest => ({
  prompt: 'Once upon',
  suffix: undefined,
  echo: false,
  choices: 1,
  bestOf: 1,
  maxTokens: 16,
  sampling: plainSampling,
  topLogprobs: undefined,
  user: undefined,
  ...more,
})

describe('the text port', () => {
  it('asks and reads a continuation', async ({ serve, connect }) => {
    const logprobs = { tokens: [' a'], token_logprobs: [-1], top_logprobs: [{ ' a': -1 }], text_offset: [9] }
    const server = await serve((response) =>
      sendJson(response, { choices: [{ text: ' a time', index: 0, logprobs, finish_reason: 'length' }], usage }),
    )
    const request = prompt({ prompt: [5, 6], suffix: '!', echo: true, bestOf: 3, topLogprobs: 1, user: 'u' })
    const answer = await connect(server).text.complete(request, call())
    expect(server.seen[0]!.body).toEqual({
      model: 'tiny',
      prompt: [5, 6],
      max_tokens: 16,
      suffix: '!',
      echo: true,
      best_of: 3,
      logprobs: 1,
      user: 'u',
    })
    expect(answer).toMatchObject({
      model: 'tiny',
      choices: [{ text: ' a time', logprobs, finish_reason: 'length' }],
      usage: { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
    })
  })

  it('streams, and estimates the usage that is not told', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event({ choices: [{ index: 0, text: ' a', finish_reason: null }] }))
      response.end(event({ choices: [{ index: 0, text: ' time', finish_reason: 'stop' }] }) + event('[DONE]'))
    })
    const steps = await collect(connect(server, { streamUsage: false }).text.stream(prompt(), call()))
    expect(server.seen[0]!.body).toEqual({ model: 'tiny', prompt: 'Once upon', max_tokens: 16, stream: true })
    expect(steps.map(({ choices }) => choices[0])).toEqual([
      { index: 0, text: ' a', logprobs: null, finish_reason: null },
      { index: 0, text: ' time', logprobs: null, finish_reason: 'stop' },
      undefined,
    ])
    expect(steps.at(-1)!.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 })
  })

  it('refuses a stream that ends too early, and an answer without log probabilities', async ({ serve, connect }) => {
    const server = await serve((response, { body }) => {
      if (!body.stream) return sendJson(response, { choices: [{ text: 'x', finish_reason: 'stop' }] })
      startEvents(response)
      response.end(event({ choices: [{ index: 0, text: ' a', finish_reason: null }] }))
    })
    const { text } = connect(server)
    expect(upstreamDetail(await problemOf(collect(text.stream(prompt(), call())))).status).toBe(502)
    const bare = await problemOf(text.complete(prompt({ topLogprobs: 0 }), call()))
    expect(bare.detail).toEqual({ kind: 'unsupported', param: 'logprobs' })
  })
})

describe('the embeddings port', () => {
  const base64 = (numbers: number[]): string => Buffer.from(new Float32Array(numbers).buffer).toString('base64')

  it('reads base64 and numbers, in the order of the inputs', async ({ serve, connect }) => {
    const server = await serve((response) => {
      const data = [
        { index: 1, embedding: base64([0.5, -1, 0.25]) },
        { index: 0, embedding: [1, 2, 3] },
      ]
      sendJson(response, { data, model: 'vec-1', usage: { prompt_tokens: 7, total_tokens: 7 } })
    })
    const request = { inputs: ['a', [1, 2]], dimensions: 3, user: 'u' }
    const answer = await connect(server).embeddings.embed(request, call())
    expect(server.seen[0]).toMatchObject({ path: '/v1/embeddings' })
    expect(server.seen[0]!.body).toEqual({
      model: 'tiny',
      input: ['a', [1, 2]],
      encoding_format: 'base64',
      dimensions: 3,
      user: 'u',
    })
    expect(answer).toEqual({
      model: 'vec-1',
      promptTokens: 7,
      vectors: [new Float32Array([1, 2, 3]), new Float32Array([0.5, -1, 0.25])],
    })
  })

  it.for([
    ['too few', [{ index: 0, embedding: [1] }]],
    [
      'too many',
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1] },
        { index: 2, embedding: [1] },
      ],
    ],
    [
      'one twice',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    ['different lengths', [{ embedding: [1] }, { embedding: [1, 2] }]],
    ['words', [{ embedding: ['x'] }, { embedding: [1] }]],
    ['half a number', [{ embedding: 'AAAA' }, { embedding: [1] }]],
    ['no number', [{ embedding: base64([Number.NaN]) }, { embedding: [1] }]],
  ] as const)('refuses an answer with %s', async ([, data], { serve, connect }) => {
    const server = await serve((response) => sendJson(response, { data }))
    const request = { inputs: ['a', 'b'], dimensions: undefined, user: undefined }
    expect(upstreamDetail(await problemOf(connect(server).embeddings.embed(request, call()))).status).toBe(502)
  })

  it('refuses an answer that ignored the dimensions', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, { data: [{ embedding: [1, 2, 3] }] }))
    const request = { inputs: ['a'], dimensions: 2, user: undefined }
    const problem = await problemOf(connect(server).embeddings.embed(request, call()))
    expect(problem.detail).toEqual({ kind: 'unsupported', param: 'dimensions' })
  })
})

describe('the moderation port', () => {
  const text = (words: string): ModerationInput => ({ texts: [words], images: [] })

  it('asks for all texts at once, and fills what older models do not know', async ({ serve, connect }) => {
    const result = { flagged: true, categories: { hate: true }, category_scores: { hate: 0.9, violence: 0.1 } }
    const server = await serve((response) => sendJson(response, { model: 'mod-1', results: [result, result] }))
    const answer = await connect(server).moderation.moderate([text('a'), text('b')], call())
    expect(server.seen.map(({ body }) => body)).toEqual([{ model: 'tiny', input: ['a', 'b'] }])
    expect(answer.results).toHaveLength(2)
    expect(answer.results[0]).toMatchObject({
      flagged: true,
      categories: { hate: true, violence: false, illicit: false },
      category_scores: { hate: 0.9, violence: 0.1, illicit: 0 },
      category_applied_input_types: { hate: ['text'], violence: ['text'], illicit: [] },
    })
  })

  it('sends images as data, one request for what is judged together', async ({ serve, connect }) => {
    const result = {
      flagged: false,
      categories: {},
      category_scores: { sexual: 0.2, hate: 0.1 },
      category_applied_input_types: { sexual: ['text', 'image'], hate: ['text'] },
    }
    const server = await serve((response) => sendJson(response, { results: [result] }))
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2])
    const answer = await connect(server).moderation.moderate([{ texts: ['look'], images: [png] }, text('b')], call())
    expect(server.seen.map(({ body }) => body.input)).toEqual([
      [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` } },
      ],
      [{ type: 'text', text: 'b' }],
    ])
    expect(answer.results.map((each) => each.category_applied_input_types.sexual)).toEqual([
      ['text', 'image'],
      ['text'],
    ])
  })

  it('refuses what is no image, and answers of another length', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, { results: [] }))
    const { moderation } = connect(server)
    const odd = moderation.moderate([{ texts: [], images: [Uint8Array.from([1, 2])] }], call())
    expect((await problemOf(odd)).detail).toEqual({ kind: 'invalid', param: 'input' })
    expect(upstreamDetail(await problemOf(moderation.moderate([text('a')], call()))).status).toBe(502)
  })
})

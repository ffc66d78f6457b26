import { describe, expect } from 'vitest'
import { answering, chatAnswer, failing, sendJson, usage } from './testing/model-server.ts'
import { call, chat, it, plainSampling, problemOf, upstreamDetail } from './testing/upstream-test.ts'

describe('a chat request', () => {
  it('says no more than it must', async ({ serve, connect }) => {
    const server = await serve(answering('Hi'))
    await connect(server).chat.complete(chat(), call())
    expect(server.seen[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(server.seen[0]!.body).toEqual({ model: 'tiny', messages: [{ role: 'user', content: 'Hello there' }] })
    expect(server.seen[0]!.headers).toMatchObject({ 'accept-encoding': 'identity', 'content-type': 'application/json' })
  })

  it('says all that differs from the defaults', async ({ serve, connect }) => {
    const server = await serve((response) => {
      const [choice] = (chatAnswer('Hi') as { choices: object[] }).choices
      const logprobs = { content: [{ token: 'Hi', logprob: -0.5 }] }
      const choices = [
        { ...choice, logprobs },
        { ...choice, index: 1, logprobs },
      ]
      sendJson(response, { ...chatAnswer('Hi'), choices })
    })
    const { chat: model } = connect(server, {
      apiKey: 'sk-of-the-test',
      organization: 'org-1',
      headers: { 'x-team': 'blue' },
      maxTokensName: 'max_completion_tokens',
    })
    const answer = await model.complete(
      chat({
        messages: [{ role: 'developer', content: 'Be brief' }],
        tools: [{ name: 'look', parameters: { type: 'object' } }],
        toolChoice: { name: 'look' },
        parallelToolCalls: false,
        responseFormat: { type: 'json_object' },
        choices: 2,
        maxTokens: 7,
        topLogprobs: 3,
        prediction: 'Hi',
        user: 'user-1',
        sampling: { ...plainSampling, temperature: 0, seed: 4, stop: ['x'], logitBias: new Map([[50, -100]]) },
      }),
      call(),
    )
    expect(server.seen[0]!.body).toEqual({
      model: 'tiny',
      messages: [{ role: 'system', content: 'Be brief' }],
      temperature: 0,
      logit_bias: { 50: -100 },
      seed: 4,
      stop: ['x'],
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_object' },
      n: 2,
      max_completion_tokens: 7,
      logprobs: true,
      top_logprobs: 3,
      prediction: { type: 'content', content: 'Hi' },
      user: 'user-1',
    })
    expect(server.seen[0]!.headers).toMatchObject({
      authorization: 'Bearer sk-of-the-test',
      'openai-organization': 'org-1',
      'x-team': 'blue',
    })
    expect(answer.choices[0]!.logprobs).toEqual({
      content: [{ token: 'Hi', logprob: -0.5, bytes: null, top_logprobs: [] }],
      refusal: null,
    })
  })
})

describe('a chat answer', () => {
  it('is made complete', async ({ serve, connect }) => {
    const server = await serve(answering('Grüße 🌊'))
    const { chat: model } = connect(server)
    const answer = await model.complete(chat(), call())
    expect(answer).toEqual({
      model: 'tiny-1',
      system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Grüße 🌊', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        ...usage,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    })
    expect((await model.complete(chat(), call())).system_fingerprint).toBe(answer.system_fingerprint)
  })

  it('with tool calls gets ids and texts of arguments where they miss', async ({ serve, connect }) => {
    const server = await serve((response) => {
      const message = { role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: { at: 1 } } }] }
      sendJson(response, { choices: [{ message, finish_reason: 'function_call' }] })
    })
    const answer = await connect(server).chat.complete(chat(), call())
    expect(answer.model).toBe('tiny')
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: expect.stringMatching(/^call_\w{24}$/), type: 'function', function: { arguments: '{"at":1}' } },
        ],
      },
    })
    // Estimated: the server said nothing of usage.
    expect(answer.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 })
  })

  it('that ignored a parameter is refused', async ({ serve, connect }) => {
    const { chat: model } = connect(await serve(answering('Hi')))
    const few = await problemOf(model.complete(chat({ choices: 2 }), call()))
    expect(few.detail).toEqual({ kind: 'unsupported', param: 'n' })
    const bare = await problemOf(model.complete(chat({ topLogprobs: 0 }), call()))
    expect(bare.detail).toEqual({ kind: 'unsupported', param: 'logprobs' })
  })

  it.for([
    ['no JSON', '{"choices": [', 200, 502],
    ['no object', '[1]', 200, 502],
    ['no choices', '{}', 200, 502],
    ['a choice without a message', '{"choices":[{}]}', 200, 502],
    ['an empty body', '', 200, 502],
    ['a redirect', '', 302, 502],
  ] as const)('that is %s is a problem of the server', async ([, body, status, expected], { serve, connect }) => {
    const server = await serve((response) => sendJson(response, body, status, { location: '/elsewhere' }))
    const problem = await problemOf(connect(server).chat.complete(chat(), call()))
    expect(upstreamDetail(problem)).toMatchObject({ status: expected, error: undefined })
    expect(server.seen).toHaveLength(1)
  })

  it('that is compressed unasked is a problem of the server', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, 'x', 200, { 'content-encoding': 'gzip' }))
    expect((await problemOf(connect(server).chat.complete(chat(), call()))).message).toMatch(/compressed/)
  })
})

describe("a model server's refusal", () => {
  it('is passed on with its own words, and not tried again', async ({ serve, connect }) => {
    const error = {
      message: 'Too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }
    const server = await serve((response) => sendJson(response, { error }, 400))
    const problem = await problemOf(connect(server).chat.complete(chat(), call()))
    expect(problem.detail).toEqual({ kind: 'upstream', status: 400, error, retryAfterSeconds: undefined })
    expect(server.seen).toHaveLength(1)
  })

  it.for([
    [{ error: 'plain' }, 'plain'],
    [{ object: 'error', message: 'flat', code: 40_401 }, 'flat'],
    [{ detail: 'missing' }, 'missing'],
    [{ detail: [{ msg: 'field required' }, { msg: 'bad value' }] }, 'field required; bad value'],
  ] as const)('is understood in the form %j', async ([body, message], { serve, connect }) => {
    const server = await serve((response) => sendJson(response, body, 422))
    const problem = await problemOf(connect(server).chat.complete(chat(), call()))
    expect(upstreamDetail(problem)).toMatchObject({ status: 422, error: { message } })
  })

  it('never shows our secrets, and is cut when long', async ({ serve, connect }) => {
    const words = `Wrong key sk-very-secret-1 or team red-secret-9! ${'x'.repeat(5_000)}`
    const server = await serve(failing(401, {}, words))
    const { chat: model } = connect(
      server,
      { apiKeyEnv: 'MODEL_KEY', headers: { 'x-team': 'red-secret-9' } },
      {
        env: { MODEL_KEY: 'sk-very-secret-1' },
      },
    )
    const problem = await problemOf(model.complete(chat(), call()))
    expect(server.seen[0]!.headers.authorization).toBe('Bearer sk-very-secret-1')
    const shown = problem.message + JSON.stringify(problem.detail) + problem.stack
    expect(shown).toContain('Wrong key [redacted] or team [redacted]!')
    expect(shown).not.toMatch(/very-secret|red-secret|127\.0\.0\.1/)
    expect(upstreamDetail(problem).error!.message.length).toBeLessThan(2_100)
  })

  it('that never ends is cut', async ({ serve, connect }) => {
    const server = await serve((response) => {
      response.writeHead(400)
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', pour)
      pour()
    })
    const problem = await problemOf(connect(server).chat.complete(chat(), call()))
    expect(upstreamDetail(problem)).toMatchObject({ status: 400, error: undefined })
  })
})

it('tells of a key that is named but not there', ({ connect }) => {
  expect(() => connect(['http://127.0.0.1:9/v1'], { apiKeyEnv: 'NO_SUCH_KEY' }, { env: {} })).toThrow(
    'The environment variable NO_SUCH_KEY, named by apiKeyEnv, is not set.',
  )
})

import { expect, it } from 'vitest'
import { chatModelName, endToken, letterToken, startChatModel } from '../../../testing/chat-model.ts'
import { chatBody, complete, completeText } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const model = startChatModel()

describePlatformOnSqlite('chat completions', (start) => {
  it('INF-027 INF-028 INF-029 INF-030 INF-032 INF-033 INF-038 INF-039 INF-040 INF-054 answer with a message and what it took', async () => {
    const platform = await start({ runtimes: model() })
    const before = Math.floor(Date.now() / 1000)
    const answer = await complete(platform)
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: expect.any(String),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.any(String), refusal: null },
          logprobs: null,
          finish_reason: expect.stringMatching(/^(stop|length)$/),
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: answer.usage.prompt_tokens + answer.usage.completion_tokens,
        prompt_tokens_details: { cached_tokens: expect.any(Number), audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      system_fingerprint: expect.stringMatching(/\S/),
    })
    expect(Number.isInteger(answer.created)).toBe(true)
    expect(answer.created).toBeGreaterThanOrEqual(before)
    expect(answer.usage.prompt_tokens).toBeGreaterThan(10)
    expect(answer.model).not.toBe('gpt-4o-mini')
    expect(answer.model).toContain(chatModelName.replace('.gguf', ''))
    expect((await complete(platform, { modalities: ['text'] })).choices[0]?.message.content).toEqual(expect.any(String))
    const again = await complete(platform)
    expect(again.id).not.toBe(answer.id)
    expect(again.system_fingerprint).toBe(answer.system_fingerprint)
    expect(again.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(0)
  })

  it('INF-037 read messages of every role, as text and as parts', async () => {
    const platform = await start({ runtimes: model() })
    const text = (words: string) => [{ type: 'text', text: words }]
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = [
      { role: 'system', content: 'Be kind' },
      { role: 'developer', content: text('Be short'), name: 'boss' },
      { role: 'user', content: 'Hi', name: 'ann' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: [...text('Look '), ...text('again')] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: text('nothing') },
      { role: 'assistant', content: [...text('Well'), { type: 'refusal', refusal: 'No' }] },
    ]
    const counts: number[] = []
    for (let length = 1; length <= messages.length; length++) {
      if (length === 6) continue // a call without its answer
      counts.push((await complete(platform, { messages: messages.slice(0, length) })).usage.prompt_tokens)
    }
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(new Set(counts).size).toBe(counts.length)
  })

  it('INF-034 end on their own, or before a stop sequence', async () => {
    const platform = await start({ runtimes: model() })
    const ended = await complete(platform, { logit_bias: { [endToken]: 100 } })
    expect(ended.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '' } })
    const bias = { [letterToken('a')]: 100 }
    const whole = await complete(platform, { logit_bias: bias })
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'a'.repeat(12) } })
    for (const stop of ['aaa', ['zz', 'aaa']]) {
      const stopped = await complete(platform, { logit_bias: bias, stop })
      expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '' } })
    }
  })

  it('INF-035 INF-051 INF-052 keep the limit of tokens, by its new name and its old', async () => {
    const platform = await start({ runtimes: model() })
    const goOn = { logit_bias: { [endToken]: -100 }, max_tokens: undefined }
    for (const limit of [{ max_completion_tokens: 5 }, { max_tokens: 5 }]) {
      const answer = await complete(platform, { ...goOn, ...limit })
      expect(answer.choices[0]?.finish_reason).toBe('length')
      expect(answer.usage.completion_tokens).toBe(5)
    }
    const both = await platform.post('/v1/chat/completions', chatBody({ max_tokens: 5, max_completion_tokens: 5 }))
    expect(both.status).toBe(400)
    expect(await errorOf(both)).toMatchObject({ param: 'max_tokens' })
  })

  it('INF-045 INF-046 repeat less with penalties, more with negative ones', async () => {
    const platform = await start({ runtimes: model() })
    const distinct = async (fields: object): Promise<number> => {
      let count = 0
      for (const seed of [1, 2, 3]) {
        const logprobs = { logprobs: true, logit_bias: { [endToken]: -100 }, max_tokens: 60 }
        const { choices } = await complete(platform, { ...fields, ...logprobs, seed })
        count += new Set(choices[0]?.logprobs?.content?.map(({ bytes }) => String(bytes))).size
      }
      return count
    }
    for (const name of ['frequency_penalty', 'presence_penalty']) {
      expect(await distinct({ [name]: 2 })).toBeGreaterThan(await distinct({ [name]: -2 }))
    }
  })

  it('INF-047 INF-048 add the bias to the logits: it forces, bans, and tips the scales', async () => {
    const platform = await start({ runtimes: model() })
    const logit_bias = { [letterToken('q')]: 100 }
    expect(await completeText(platform, { logit_bias })).toBe('q'.repeat(12))
    const banned = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz '].map((letter) => [letterOf(letter), -100]))
    expect(await completeText(platform, { logit_bias: banned, max_tokens: 60, seed: 3 })).not.toMatch(/\b[a-z]\b/)
    const ask = { max_tokens: 1, temperature: 0, logprobs: true, top_logprobs: 20 }
    const top = (await complete(platform, ask)).choices[0]?.logprobs?.content?.[0]?.top_logprobs ?? []
    const second = top.slice(1).find(({ bytes }) => bytes?.length === 1 && bytes[0]! > 0x20 && bytes[0]! < 0x7f)!
    const gap = top[0]!.logprob - second.logprob
    const id = letterToken(second.token)
    const first = async (bias: number) => completeText(platform, { ...ask, logit_bias: { [id]: bias } })
    expect(await first(gap - 0.05)).not.toBe(second.token)
    expect(await first(gap + 0.05)).toBe(second.token)
  })

  it('INF-049 INF-050 INF-224 tell log probabilities of the real distribution', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { temperature: 0, logprobs: true, max_tokens: 8 }
    for (const top_logprobs of [0, 1, 20]) {
      const { choices, usage } = await complete(platform, { ...ask, top_logprobs })
      const { content, refusal } = choices[0]!.logprobs!
      expect(refusal).toBeNull()
      expect(content).toHaveLength(usage.completion_tokens - (choices[0]?.finish_reason === 'stop' ? 1 : 0))
      for (const token of content!) {
        expect(token.top_logprobs).toHaveLength(top_logprobs)
        expect(token.logprob).toBeLessThanOrEqual(0)
        expect(token.bytes).toEqual(expect.any(Array))
        const sum = token.top_logprobs.reduce((all, { logprob }) => all + Math.exp(logprob), 0)
        expect(sum).toBeLessThanOrEqual(1.0001)
        if (top_logprobs > 0) expect(token.top_logprobs[0]).toMatchObject({ bytes: token.bytes })
      }
    }
    expect((await complete(platform, { logprobs: true })).choices[0]?.logprobs?.content?.[0]?.top_logprobs).toEqual([])
    expect((await complete(platform, { logprobs: false })).choices[0]?.logprobs).toBeNull()
    for (const wrong of [{ top_logprobs: 2 }, { top_logprobs: 2, logprobs: false }]) {
      const response = await platform.post('/v1/chat/completions', chatBody(wrong))
      expect([wrong, response.status]).toEqual([wrong, 400])
      expect(await errorOf(response)).toMatchObject({ param: 'top_logprobs' })
    }
  })

  it('INF-053 give as many choices as wanted, each its own', async () => {
    const platform = await start({ runtimes: model() })
    const { choices, usage } = await complete(platform, { n: 3, seed: 5, logit_bias: { [endToken]: -100 } })
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(3)
    expect(usage.completion_tokens).toBe(36)
  })

  it('INF-057 go faster by a prediction without changing', async () => {
    const platform = await start({ runtimes: model() })
    // Letters that the tokenizer never joins: read again, they are the same tokens.
    const letters = Object.fromEntries([...'qxzk'].map((letter) => [letterToken(letter), 30]))
    const ask = { temperature: 0, max_tokens: 40, logit_bias: letters }
    const plain = await complete(platform, ask)
    const content = plain.choices[0]?.message.content ?? ''
    for (const predicted of [content, [{ type: 'text', text: content }]]) {
      const answer = await complete(platform, { ...ask, prediction: { type: 'content', content: predicted } })
      expect(answer.choices).toEqual(plain.choices)
      expect(answer.usage.completion_tokens_details.accepted_prediction_tokens).toBeGreaterThan(0)
    }
    const wrong = { type: 'content', content: 'Quite something else, over and over again' }
    const answer = await complete(platform, { ...ask, prediction: wrong })
    expect(answer.choices).toEqual(plain.choices)
    expect(answer.usage.completion_tokens_details.rejected_prediction_tokens).toBeGreaterThan(0)
  })

  it('INF-062 repeat themselves for the same seed', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { max_tokens: 30, logit_bias: { [endToken]: -100 } }
    const made = [await complete(platform, { ...ask, seed: 42 }), await complete(platform, { ...ask, seed: 42 })]
    expect(made[0]?.choices).toEqual(made[1]?.choices)
    expect(made[0]?.system_fingerprint).toBe(made[1]?.system_fingerprint)
    for (const seed of [43, -42, 2 ** 62]) {
      expect((await complete(platform, { ...ask, seed })).choices).not.toEqual(made[0]?.choices)
    }
  })

  it('INF-031 INF-063 INF-064 INF-065 name the tier when asked for one', async () => {
    const platform = await start({ runtimes: model() })
    for (const service_tier of ['auto', 'default']) {
      expect((await complete(platform, { service_tier })).service_tier).toBe('default')
    }
    for (const fields of [{}, { service_tier: null }]) {
      expect(await complete(platform, fields)).not.toHaveProperty('service_tier')
    }
  })

  it('INF-066 INF-067 INF-068 sample by temperature or by mass', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { max_tokens: 20, logit_bias: { [endToken]: -100 } }
    const texts = async (fields: object) => {
      const made = new Set<string>()
      for (const seed of [1, 2, 3]) made.add(await completeText(platform, { ...ask, ...fields, seed }))
      return [...made]
    }
    const greedy = await texts({ temperature: 0 })
    expect(greedy).toHaveLength(1)
    expect(await texts({ top_p: 0 })).toEqual(greedy)
    expect(await texts({ top_p: 0.00001, temperature: 1.5 })).toEqual(greedy)
    expect(await texts({ temperature: 1 })).toHaveLength(3)
    expect(await texts({ temperature: 2, top_p: 1 })).toHaveLength(3)
  })

  it('INF-076 take the identifier of an end user', async () => {
    const platform = await start({ runtimes: model() })
    expect(await complete(platform, { user: 'user-1234' })).toMatchObject({ object: 'chat.completion' })
  })

  it('write down what they used', async () => {
    const platform = await start({ runtimes: model() })
    const response = await platform.post('/v1/chat/completions', chatBody())
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toMatch(/^\d+$/)
    const { usage } = (await response.json()) as unknown as {
      usage: { prompt_tokens: number; completion_tokens: number }
    }
    await platform.platform.inference.usage.flush()
    const rows = await platform.kernel.db.queries.selectFrom('usage_events').selectAll().execute()
    expect(rows).toMatchObject([
      {
        project_id: platform.caller.projectId,
        operation: 'chat',
        model: 'gpt-4o-mini',
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
      },
    ])
  })
})

const letterOf = (letter: string): number => letterToken(letter === ' ' ? 'Ġ' : letter)

const small = startChatModel({ contextLength: 96 })

describePlatformOnSqlite('a conversation at the end of its context', (start) => {
  it('INF-036 is cut there, and one that does not fit is refused', async () => {
    const platform = await start({ runtimes: small() })
    const answer = await complete(platform, { max_tokens: undefined, logit_bias: { [endToken]: -100 } })
    expect(answer.choices[0]?.finish_reason).toBe('length')
    expect(answer.usage.total_tokens).toBeLessThanOrEqual(96)
    expect(answer.usage.total_tokens).toBeGreaterThan(80)
    const long = { messages: [{ role: 'user', content: 'sea '.repeat(200) }] }
    const refused = await platform.post('/v1/chat/completions', chatBody(long))
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ param: 'messages', code: 'context_length_exceeded' })
  })
})

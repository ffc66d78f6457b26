import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { endToken, letterToken, startChatModel } from '../../testing/chat-model.ts'
import { eventsOf } from '../../testing/chat-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { errorOf } from '../../testing/requests.ts'
import type { Completion } from './schema.ts'

const model = startChatModel()
const gapModel = startChatModel({}, { fillsGaps: true })
const basics = { model: 'gpt-3.5-turbo-instruct', prompt: 'The sea is', seed: 4 }
const goOn = { logit_bias: { [endToken]: -100 } }

async function complete(platform: TestPlatform, fields: object = {}): Promise<Completion> {
  const response = await platform.post('/v1/completions', { ...basics, ...fields })
  const body: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  return body as Completion
}

const textsOf = ({ choices }: Completion): string[] => choices.map(({ text }) => text)

describePlatformOnSqlite('completions', (start) => {
  it('go on from a prompt', async () => {
    const platform = await start({ runtimes: model() })
    const answer = await complete(platform, goOn)
    checkPublished('CreateCompletionResponse', answer)
    expect(answer).toMatchObject({ object: 'text_completion', id: expect.stringMatching(/^cmpl-/) })
    expect(answer.choices).toEqual([{ index: 0, text: expect.any(String), logprobs: null, finish_reason: 'length' }])
    expect(answer.usage.completion_tokens).toBe(16)
    expect(answer.model).not.toBe(basics.model)
    expect(await complete(platform, goOn)).toMatchObject({ choices: answer.choices })
    expect((await complete(platform, { prompt: undefined })).choices).toHaveLength(1)
    const bias = { logit_bias: { [letterToken('z')]: 100 } }
    expect(textsOf(await complete(platform, { ...bias, max_tokens: 3 }))).toEqual(['zzz'])
    const stopped = await complete(platform, { ...bias, stop: 'zz' })
    expect(stopped.choices[0]).toMatchObject({ text: '', finish_reason: 'stop' })
  })

  it('take prompts as text, as tokens, and several of each', async () => {
    const platform = await start({ runtimes: model() })
    const tokens = [...'ab'].map(letterToken)
    const ask = { temperature: 0, ...goOn }
    const [text] = textsOf(await complete(platform, { ...ask, prompt: 'ab' }))
    expect(textsOf(await complete(platform, { ...ask, prompt: tokens }))).toEqual([text])
    const [other] = textsOf(await complete(platform, { ...ask, prompt: 'ba' }))
    for (const prompt of [
      ['ab', 'ba', 'ab'],
      [tokens, [...tokens].reverse(), tokens],
    ]) {
      const { choices, usage } = await complete(platform, { ...ask, prompt, n: 2 })
      expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
      expect(choices.map((choice) => choice.text)).toEqual([text, text, other, other, text, text])
      expect(usage.completion_tokens).toBe(96)
    }
    const many = await complete(platform, { ...ask, prompt: Array.from({ length: 20 }, () => 'ab'), max_tokens: 2 })
    expect(new Set(textsOf(many)).size).toBe(1)
    expect(many.choices).toHaveLength(20)
  })

  it('echo the prompt, with the log probabilities of both', async () => {
    const platform = await start({ runtimes: model() })
    const answer = await complete(platform, { echo: true, logprobs: 2, max_tokens: 4, ...goOn })
    const [choice] = answer.choices
    expect(choice?.text.startsWith(basics.prompt)).toBe(true)
    const { tokens, token_logprobs, top_logprobs, text_offset } = choice!.logprobs!
    expect(token_logprobs[0]).toBeNull()
    expect(token_logprobs.slice(1).every((value) => value !== null && value <= 0)).toBe(true)
    expect(tokens).toHaveLength(answer.usage.total_tokens)
    expect(text_offset[0]).toBe(0)
    expect(top_logprobs).toHaveLength(tokens.length)
    const scored = await complete(platform, { echo: true, logprobs: 0, max_tokens: 0 })
    expect(scored.choices[0]?.text).toBe(basics.prompt)
    expect(scored.usage.completion_tokens).toBe(0)
    const plain = await complete(platform, { logprobs: 5, max_tokens: 4, ...goOn })
    checkPublished('CreateCompletionResponse', plain)
    expect(Object.keys(plain.choices[0]!.logprobs!.top_logprobs![0]!).length).toBeGreaterThanOrEqual(5)
  })

  it('echo what was given and nothing else, where the model marks the beginning of a text', async () => {
    const platform = await start()
    for (const logprobs of [0, 2]) {
      const answer = await complete(platform, { echo: true, logprobs, max_tokens: 3, temperature: 1.5 })
      checkPublished('CreateCompletionResponse', answer)
      const [choice] = answer.choices
      const { tokens, token_logprobs, top_logprobs, text_offset } = choice!.logprobs!
      expect(choice!.text.startsWith(basics.prompt)).toBe(true)
      expect(tokens.join('')).toBe(choice!.text)
      expect(text_offset).toEqual(tokens.map((_, at) => tokens.slice(0, at).join('').length))
      // Of each the chosen token is told, also when others are likelier.
      for (const [at, token] of tokens.entries()) expect(top_logprobs![at]![token]).toBe(token_logprobs[at])
      for (const top of top_logprobs!) expect(Object.keys(top!).length).toBeLessThanOrEqual(logprobs + 1)
    }
    expect(textsOf(await complete(platform, { echo: true, max_tokens: 0 }))).toEqual([basics.prompt])
    expect(textsOf(await complete(platform, { prompt: undefined, echo: true, max_tokens: 0 }))).toEqual([''])
  })

  it('fill the gap before a suffix with a model that was made for it, and echo the text before it', async () => {
    const platform = await start({ runtimes: gapModel() })
    const ask = { echo: true, max_tokens: 6, temperature: 0, ...goOn }
    const [plain, filled, same, tokens] = await Promise.all([
      complete(platform, ask),
      complete(platform, { ...ask, suffix: ' and deep.' }),
      complete(platform, { ...ask, suffix: '' }),
      complete(platform, { ...ask, prompt: [...'abc'].map(letterToken), suffix: ' and deep.' }),
    ])
    expect(textsOf(filled)[0]?.startsWith(basics.prompt)).toBe(true)
    expect(textsOf(filled)).not.toEqual(textsOf(plain))
    expect(textsOf(same)).toEqual(textsOf(plain))
    expect(textsOf(tokens)[0]?.startsWith('abc')).toBe(true)
    expect(filled.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 3)
  })

  it('keep the best of several', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { logprobs: 0, max_tokens: 8, ...goOn }
    const mean = ({ logprobs }: Completion['choices'][number]): number =>
      logprobs!.token_logprobs.reduce<number>((sum, value) => sum + value!, 0) / logprobs!.token_logprobs.length
    const all = await complete(platform, { ...ask, n: 6, best_of: 6 })
    const best = await complete(platform, { ...ask, n: 2, best_of: 6 })
    const ranked = all.choices.map(mean).sort((a, b) => b - a)
    for (const [place, choice] of best.choices.entries()) expect(mean(choice)).toBeCloseTo(ranked[place]!, 3)
    expect(best.usage.completion_tokens).toBe(48)
  })

  it('come as a stream, prompt by prompt', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { prompt: ['ab', 'ba'], n: 2, ...goOn }
    const whole = await complete(platform, ask)
    const body = { ...basics, ...ask, stream: true, stream_options: { include_usage: true } }
    const events = eventsOf(await (await platform.post('/v1/completions', body)).text())
    expect(events.pop()).toBe('[DONE]')
    const chunks = events.map((data) => JSON.parse(data) as Omit<Completion, 'usage'> & { usage: unknown })
    const last = chunks.pop()
    expect(last).toMatchObject({
      choices: [],
      usage: { completion_tokens: 64, prompt_tokens: whole.usage.prompt_tokens },
    })
    expect(
      chunks.every(({ usage, id, object }) => usage === null && id === last!.id && object === 'text_completion'),
    ).toBe(true)
    for (const { index, text, finish_reason } of whole.choices) {
      const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
      expect(own.map((choice) => choice.text).join('')).toBe(text)
      expect(own.at(-1)?.finish_reason).toBe(finish_reason)
    }
  })

  it('refuse what cannot be', async () => {
    const platform = await start({ runtimes: model() })
    const cases: [object, string, string | null][] = [
      [{ model: undefined }, 'model', 'missing_required_parameter'],
      [{ prompt: [] }, 'prompt', 'empty_array'],
      [{ prompt: ['a', 1] }, 'prompt[1]', 'invalid_value'],
      [{ prompt: [[]] }, 'prompt[0]', 'empty_array'],
      [{ prompt: [100_000] }, 'prompt', 'invalid_value'],
      [{ logprobs: 6 }, 'logprobs', 'integer_above_max_value'],
      [{ best_of: 21 }, 'best_of', 'integer_above_max_value'],
      [{ best_of: 1, n: 2 }, 'best_of', 'invalid_value'],
      [{ best_of: 3, stream: true }, 'best_of', null],
      [{ max_tokens: -1 }, 'max_tokens', 'integer_below_min_value'],
      [{ stream_options: { include_usage: true } }, 'stream_options', null],
      [{ messages: [] }, 'messages', 'unknown_parameter'],
      [{ prompt: Array.from({ length: 200 }, () => 'a'), n: 128 }, 'prompt', 'too_many_choices'],
      [{ suffix: 'the end' }, 'suffix', 'unsupported_parameter'],
    ]
    for (const [fields, param, code] of cases) {
      const response = await platform.post('/v1/completions', { ...basics, ...fields })
      expect([fields, response.status]).toEqual([fields, 400])
      expect([fields, await errorOf(response)]).toMatchObject([fields, { param, code }])
    }
  })

  it('work with the openai clients 4.77.0 and 6.49.0', async () => {
    const platform = await start({ runtimes: model() })
    const settings = { apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 }
    const old = new OpenAI4(settings).completions
    const whole = await old.create(basics)
    const text = async (chunks: AsyncIterable<{ choices: { text: string }[] }>) => {
      let all = ''
      for await (const { choices } of chunks) all += choices[0]?.text ?? ''
      return all
    }
    expect(await text(await old.create({ ...basics, stream: true }))).toBe(whole.choices[0]?.text)
    const { completions } = new OpenAI6(settings)
    expect((await completions.create(basics)).choices).toEqual(whole.choices)
    expect(await text(await completions.create({ ...basics, stream: true }))).toBe(whole.choices[0]?.text)
  })
})

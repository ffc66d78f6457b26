import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import type { ChatAnswer, ChatModel, ChatRequest } from '../../chat.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { specialTokens, writeRandomModel } from '../../testing/random-gguf.ts'
import { createLlamaRuntime } from './llama-runtime.ts'
import { LlamaSettings } from './settings.ts'

const schema = {
  type: 'object',
  properties: { race: { type: 'string', enum: ['marathon', '10k', 'relay'] } },
  required: ['race'],
  additionalProperties: false,
}
const sampling = { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0, logitBias: new Map(), stop: [] }
const request = (seed: number): ChatRequest => ({
  messages: [{ role: 'user', content: 'Sign me up for the 10k.' }],
  responseFormat: { type: 'json_schema', json_schema: { name: 'entry', schema } },
  sampling: { ...sampling, seed },
  ...{ tools: [], toolChoice: 'auto', parallelToolCalls: true, choices: 1, maxTokens: 60 },
  ...{ topLogprobs: undefined, prediction: undefined, audio: undefined, user: undefined },
})

/** What a model that knows nothing answers, to each request. */
async function answers(settings: object, requests: ChatRequest[]): Promise<ChatAnswer['choices']> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, {})
  const needs = { log: silentLog, memory: new MemoryBudget() }
  const runtime = createLlamaRuntime(LlamaSettings.parse({ kind: 'llama', file, ...settings }), needs)
  const chat = runtime.chat as ChatModel
  try {
    const call = { signal: new AbortController().signal, turn: 'a' }
    return (await Promise.all(requests.map((asked) => chat.complete(asked, call)))).flatMap(({ choices }) => choices)
  } finally {
    await runtime.close()
  }
}

it('has a model take the choice that the message names, where it is asked for', async () => {
  const races = async (settings: object) => {
    const choices = await answers(
      settings,
      Array.from({ length: 8 }, (_, seed) => request(seed)),
    )
    return new Set(choices.map(({ message }) => JSON.parse(message.content ?? '{}').race))
  }
  expect(await races({ assist: true })).toEqual(new Set(['10k']))
  expect((await races({})).size).toBeGreaterThan(1)
})

it('ends an answer that only repeats itself, where it is asked for', async () => {
  const always = { ...sampling, seed: 1, logitBias: new Map([[70, 100]]) }
  const asked: ChatRequest = { ...request(1), responseFormat: { type: 'text' }, sampling: always, maxTokens: 100 }
  const reasons = async (settings: object) => (await answers(settings, [asked])).map((one) => one.finish_reason)
  expect(await reasons({ assist: true })).toEqual(['stop'])
  expect(await reasons({})).toEqual(['length'])
})

describe('a text of a call that only repeats itself', () => {
  /** Of a model that wants nothing but `k`, and never has enough of it; it may like the beginning of calls as well. */
  const asked = (property: object, more: Partial<ChatRequest> = {}): ChatRequest => ({
    ...request(1),
    responseFormat: { type: 'text' },
    toolChoice: 'required',
    parallelToolCalls: false,
    tools: [{ name: 'note', parameters: noteOf(property) }],
    sampling: { ...sampling, seed: 1, logitBias: new Map([liked('k', 100), liked('<', 90)]) },
    maxTokens: 400,
    ...more,
  })
  const liked = (letter: string, bias: number): [number, number] => [specialTokens.length + letter.charCodeAt(0), bias]
  const noteOf = (property: object) => ({
    type: 'object',
    properties: { a: property, n: { type: 'integer' } },
    required: ['a', 'n'],
  })
  const callsOf = ({ message }: ChatAnswer['choices'][number]) =>
    message.tool_calls?.map((call) => (call.type === 'function' ? call.function.arguments : '')) ?? []
  const circle = 'k'.repeat(49)

  it('is closed, and the call goes on to its end, where it is asked for', async () => {
    const [closed] = await answers({ assist: true }, [asked({ type: 'string' })])
    expect(closed?.finish_reason).toBe('tool_calls')
    expect(closed && callsOf(closed).map((args) => JSON.parse(args))).toEqual([{ a: circle, n: expect.any(Number) }])
    const [open] = await answers({}, [asked({ type: 'string' })])
    expect(open?.finish_reason).toBe('length')
  })

  it('is as long as the schema wants it, and no list goes on behind it', async () => {
    const list = { type: 'array', items: { type: 'string' } }
    const wanted: [property: object, value: unknown][] = [
      [{ type: 'string', minLength: 120 }, 'k'.repeat(120)],
      [{ type: 'string', maxLength: 20 }, 'k'.repeat(20)],
      [{ type: 'string', pattern: '^(kkkkkkkk)+$' }, 'k'.repeat(56)],
      [list, [circle]],
      [{ ...list, minItems: 2 }, [circle, circle]],
    ]
    const choices = await answers(
      { assist: true },
      wanted.map(([property]) => asked(property)),
    )
    expect(choices.map((choice) => JSON.parse(callsOf(choice)[0] ?? '').a)).toEqual(wanted.map(([, value]) => value))
  })

  it('is closed in each of several calls', async () => {
    const [choice] = await answers({ assist: true }, [
      asked({ type: 'string' }, { parallelToolCalls: true, maxTokens: 600 }),
    ])
    const whole = choice ? callsOf(choice).slice(0, -1) : []
    expect(whole.length).toBeGreaterThan(1)
    expect(new Set(whole.map((args) => JSON.parse(args).a))).toEqual(new Set([circle]))
  })
})

it('has a model go on like the message in a value that began so, where it is asked for', async () => {
  const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  // It likes these letters, and one of them best.
  const liked = [...'kilo'].map((letter): [number, number] => [
    specialTokens.length + letter.charCodeAt(0),
    letter === 'k' ? 30 : 27.5,
  ])
  const asked = (seed: number, temperature: number): ChatRequest => ({
    ...request(seed),
    messages: [{ role: 'user', content: 'Sign up kkkilo.' }],
    responseFormat: { type: 'json_schema', json_schema: { name: 'entry', schema: named } },
    sampling: { ...sampling, seed, temperature, logitBias: new Map(liked) },
  })
  const said = async (settings: object, requests: ChatRequest[]) =>
    (await answers(settings, requests)).map(({ message }) => message.content)
  const [copied, ...drawn] = await said({ assist: true }, [asked(1, 0), asked(1, 1), asked(1, 1), asked(2, 1)])
  expect(copied).toMatch(/"kkki/)
  expect(drawn[0]).toBe(drawn[1])
  expect(drawn[0]).not.toBe(drawn[2])
  expect(await said({}, [asked(1, 0)])).toEqual([expect.stringMatching(/"kkkk/)])
})

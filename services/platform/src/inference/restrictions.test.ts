import type { ChatDelta, ChatRequest } from '@atoll/models/chat'
import type { Runtime } from '@atoll/models/runtime'
import type { TextRequest } from '@atoll/models/text'
import { describe, expect, it } from 'vitest'
import { restrict } from './restrictions.ts'

const call = { signal: new AbortController().signal, turn: 'proj_1' }
const sampling = {
  ...{ temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0, logitBias: new Map<number, number>() },
  ...{ seed: undefined, stop: [] },
}
const plain: ChatRequest = {
  ...{ messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto', parallelToolCalls: true, sampling },
  ...{ responseFormat: { type: 'text' }, choices: 1, maxTokens: undefined, topLogprobs: undefined },
  ...{ prediction: undefined, audio: undefined, user: undefined },
}
const image = { type: 'image_url' as const, image_url: { url: 'data:,' } }
const demanding: [Partial<ChatRequest>, string, string][] = [
  [{ tools: [{ name: 'f' }] }, 'tools', 'tools'],
  [{ responseFormat: { type: 'json_object' } }, 'structured_outputs', 'response_format'],
  [{ topLogprobs: 0 }, 'logprobs', 'logprobs'],
  [{ messages: [{ role: 'user', content: [{ type: 'text', text: '' }, image] }] }, 'images', 'messages[0].content[1]'],
]

/** Says yes to everything. */
const willing = {
  chat: {
    complete: async () => 'done',
    async *stream(): AsyncIterable<Partial<ChatDelta>> {
      yield { model: 'done' }
    },
  },
  text: { complete: async () => 'done' },
  embeddings: { embed: async () => 'done' },
  close: async () => undefined,
} as unknown as Runtime

async function collect<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const step of steps) all.push(step)
  return all
}

describe('a model whose settings deny something', () => {
  it('refuses what they deny, whether streamed or not, and does the rest', async () => {
    const { chat } = restrict(willing, { capabilities: [] })
    expect(await chat?.complete(plain, call)).toBe('done')
    for (const [fields, , param] of demanding) {
      const refused = { detail: { kind: 'unsupported', param } }
      await expect(chat?.complete({ ...plain, ...fields }, call)).rejects.toMatchObject(refused)
      const stream = chat!.stream({ ...plain, ...fields }, call)
      await expect(collect(stream)).rejects.toMatchObject(refused)
    }
  })

  it('does what they name', async () => {
    for (const [fields, capability] of demanding) {
      const { chat } = restrict(willing, { capabilities: [capability as 'tools'] })
      expect(await chat?.complete({ ...plain, ...fields }, call)).toBe('done')
      expect(await collect(chat!.stream({ ...plain, ...fields }, call))).toHaveLength(1)
    }
  })

  it('refuses what is longer than its context for sure', async () => {
    const { chat, text, embeddings } = restrict(willing, { contextLength: 10 })
    const long = { detail: { kind: 'context_length', maxTokens: 10, requestedTokens: 11 } }
    expect(await chat?.complete({ ...plain, maxTokens: 10 }, call)).toBe('done')
    await expect(chat?.complete({ ...plain, maxTokens: 11 }, call)).rejects.toMatchObject(long)
    const request = { prompt: [1, 2, 3], maxTokens: 8 } as TextRequest
    await expect(text?.complete(request, call)).rejects.toMatchObject(long)
    expect(await text?.complete({ ...request, prompt: [1, 2] }, call)).toBe('done')
    const embed = (length: number) =>
      embeddings?.embed({ inputs: ['a', Array(length).fill(1)], dimensions: undefined, user: undefined }, call)
    await expect(embed(11)).rejects.toMatchObject(long)
    expect(await embed(10)).toBe('done')
  })

  it('is its runtime itself when they deny nothing', () => {
    expect(restrict(willing, {})).toBe(willing)
  })
})

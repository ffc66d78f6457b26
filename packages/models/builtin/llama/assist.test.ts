import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import type { ChatRequest } from '../../chat.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { writeRandomModel } from '../../testing/random-gguf.ts'
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

/** What a model that knows nothing answers, with several seeds. */
async function races(settings: object): Promise<Set<string>> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, {})
  const needs = { log: silentLog, memory: new MemoryBudget() }
  const runtime = createLlamaRuntime(LlamaSettings.parse({ kind: 'llama', file, ...settings }), needs)
  try {
    const call = { signal: new AbortController().signal, turn: 'a' }
    const asked = Array.from({ length: 8 }, (_, seed) => runtime.chat?.complete(request(seed), call))
    const answers = await Promise.all(asked)
    return new Set(answers.map((answer) => JSON.parse(answer?.choices[0]?.message.content ?? '{}').race))
  } finally {
    await runtime.close()
  }
}

it('has a model take the choice that the message names, where it is asked for', async () => {
  expect(await races({ assist: true })).toEqual(new Set(['10k']))
  expect((await races({})).size).toBeGreaterThan(1)
})

import { getPriority } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../chat.ts'
import { collectChat } from '../../collect-chat.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import type { Runtime } from '../../runtime.ts'
import { childrenRunning } from '../../testing/child-processes.ts'
import { testTemplate, writeRandomModel } from '../../testing/random-gguf.ts'
import { createLlamaRuntime } from './llama-runtime.ts'
import { LlamaSettings } from './settings.ts'

const call = { signal: new AbortController().signal, turn: 'proj_1' }
const sampling = {
  temperature: 0,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: new Map(),
  seed: 1,
  stop: [],
}
const request = (fields: Partial<ChatRequest>): ChatRequest => ({
  ...{ messages: [{ role: 'user', content: 'hi' }], tools: [], toolChoice: 'auto', parallelToolCalls: true },
  ...{ responseFormat: { type: 'text' }, choices: 1, maxTokens: 4, sampling, topLogprobs: undefined },
  ...{ prediction: undefined, audio: undefined, user: undefined },
  ...fields,
})
const strict = `{%- if messages[0].role == 'assistant' -%}{{ raise_exception('Begin with a user message.') }}{%- endif -%}
{%- if messages | length == 2 -%}{{ messages | no_such_filter }}{%- endif -%}${testTemplate}`

async function start(contextLength: number, template?: string): Promise<Runtime> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { contextLength, ...(template && { template }) })
  return createLlamaRuntime(LlamaSettings.parse({ kind: 'llama', file, contextLength }), {
    log: silentLog,
    memory: new MemoryBudget(),
  })
}

describe('a prompt', () => {
  let runtime: Runtime
  beforeAll(async () => {
    runtime = await start(32_768, strict)
  })
  afterAll(() => runtime.close())
  const ask = (fields: Partial<ChatRequest>) => {
    if (runtime.chat === undefined) throw new Error('no chat')
    return collectChat(runtime.chat.stream(request(fields), call))
  }

  it('that cannot fit is refused by its length, before the model is loaded', async () => {
    const long = 'many words '.repeat(500_000)
    const tools = [{ name: 'tell', description: long }]
    const message = { role: 'user' as const, content: long }
    const tooLong = (param: string) => ({ detail: { kind: 'context_length', param, atLeast: true } })
    await expect(ask({ messages: [message] })).rejects.toMatchObject(tooLong('messages'))
    await expect(ask({ tools })).rejects.toMatchObject(tooLong('tools'))
    const many = Array.from({ length: 40_000 }, () => ({ role: 'user' as const, content: '' }))
    await expect(ask({ messages: many })).rejects.toMatchObject(tooLong('messages'))
    expect(runtime.load?.().isLoaded).toBe(false)
  })

  it('that is long says the same whoever reads it', async () => {
    // Once for one answer by the model's process, once for three by the reader.
    const messages = [{ role: 'user' as const, content: 'abc def '.repeat(750) }]
    const alone = await ask({ messages })
    const several = await ask({ messages, choices: 3 })
    expect(several.usage.prompt_tokens).toBe(alone.usage.prompt_tokens)
    expect(several.choices[0]?.message.content).toBe(alone.choices[0]?.message.content)
    const [reader] = childrenRunning('prompt-reader-process')
    expect(getPriority(reader), 'the model goes before it').toBeGreaterThan(getPriority())
  }, 120_000)

  it('that the template does not take is refused in words a caller can use', async () => {
    const first = await ask({ messages: [{ role: 'assistant', content: 'Hi' }] }).catch((error: unknown) => error)
    expect(first).toMatchObject({
      message: "The model's chat template does not accept these messages: Begin with a user message.",
      detail: { kind: 'invalid', param: 'messages' },
    })
    const two = { role: 'user' as const, content: 'Hi' }
    const second = (await ask({ messages: [two, two] }).catch((error: unknown) => error)) as Error
    expect(second.message).toMatch(/^The model's chat template does not accept these messages: they come in an order/)
    expect(`${first}${second}`).not.toMatch(/Jinja|Addon|filter|column/)
  })
})

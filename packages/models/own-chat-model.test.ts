import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAddon } from './builtin/llama/addon.ts'
import { chatPrompt } from './builtin/llama/chat-prompt.ts'
import { LlamaEngine } from './builtin/llama/llama-engine.ts'
import { createLlamaRuntime } from './builtin/llama/llama-runtime.ts'
import { type Loaded, loadModel } from './builtin/llama/loaded-model.ts'
import { readFacts } from './builtin/llama/model-facts.ts'
import { readPrompt } from './builtin/llama/prompt-tokens.ts'
import type { LlamaSettings } from './builtin/llama/settings.ts'
import type { ChatMessage, ChatRequest, FunctionTool } from './chat.ts'
import { ownChatModel, ownMemoryBytes } from './chat-model.ts'
import { readGguf } from './gguf/read.ts'
import { MemoryBudget } from './process/memory-budget.ts'

const weights = new URL('../../weights/chat/', import.meta.url)

/** A conversation as the trainer had it, and the tokens it became there. */
interface Encoding {
  messages: { role: string; content: string; calls?: [name: string, args: object][] }[]
  tools?: FunctionTool[]
  schema?: Record<string, unknown>
  tokens: number[]
}

const own = async (): Promise<LlamaSettings> => (await ownChatModel()) as LlamaSettings

describe('the built-in chat model', () => {
  let loaded: Loaded
  let template: string | undefined

  beforeAll(async () => {
    const { file } = await own()
    template = (await readGguf(file)).chatTemplate
    loaded = await loadModel(await loadAddon(() => undefined), {
      file,
      sha256: undefined,
      contextLength: 2048,
      slots: 1,
      threads: 1,
    })
  })

  afterAll(async () => {
    await loaded.context.dispose()
    await loaded.model.dispose()
  })

  it('reads conversations, tools and schemas token by token as its trainer wrote them', () => {
    const encodings: Encoding[] = JSON.parse(readFileSync(new URL('encodings.json', weights), 'utf8'))
    expect(encodings.length).toBeGreaterThan(30)
    for (const { messages, tools = [], schema, tokens } of encodings) {
      const prompt = chatPrompt(requestOf(messages, tools, schema), template)
      expect(readPrompt(loaded, prompt).tokens).toEqual(tokens)
    }
  })

  it('takes at least 4,096 tokens, and is no larger than 95 MB', async () => {
    const { contextLength, fileBytes } = await readGguf((await own()).file)
    expect(contextLength).toBeGreaterThanOrEqual(4096)
    expect(fileBytes).toBeLessThanOrEqual(95e6)
  })

  it('takes as much memory as the check at the start says, which does not read it', async () => {
    expect((await readFacts(await own())).memoryBytes).toBe(ownMemoryBytes)
  })

  it('begins as it did with keys in 8 bits, with which conversations take three quarters of the memory', async () => {
    const settings = await own()
    const [inEight, inSixteen] = await Promise.all([readFacts(settings), readFacts({ ...settings, keyBits: 16 })])
    expect(settings.keyBits).toBe(8)
    const { fileBytes } = inEight.info
    expect((inEight.memoryBytes - fileBytes) / (inSixteen.memoryBytes - fileBytes)).toBeCloseTo((34 / 32 + 2) / 4)
    expect(await answerOf(settings)).toBe(await answerOf({ ...settings, keyBits: 16 }))
  })

  it('calls nothing where there is nothing to call, however likely that is', async () => {
    const settings = await own()
    const [mark, ...more] = loaded.model.tokenize('<|fn|>', true)
    expect(more).toEqual([])
    const asked = requestOf([{ role: 'user', content: 'Order 4512 by Mia: 3 lamps. How many?' }], [], undefined)
    const likely = { ...asked.sampling, logitBias: new Map([[mark as number, 100]]) }
    const contentOf = async (assist: boolean) => {
      const runtime = createLlamaRuntime({ ...settings, assist }, { log: silentLog, memory: new MemoryBudget() })
      const call = { signal: new AbortController().signal, turn: 'a' }
      const answer = await runtime.chat?.complete({ ...asked, sampling: likely, maxTokens: 4 }, call)
      await runtime.close()
      return answer?.choices[0]?.message.content
    }
    expect(await contentOf(true)).toMatch(/^[\w ]+/)
    expect(await contentOf(false)).toBe('')
  })

  it('is not loaded when its file was changed', async () => {
    const folder = await tempDir()
    const changed = join(folder, 'atoll-chat.gguf')
    copyFileSync((await own()).file, changed)
    const bytes = readFileSync(changed)
    bytes[bytes.length - 1000] = (bytes[bytes.length - 1000] ?? 0) ^ 1
    writeFileSync(changed, bytes)
    copyFileSync(new URL('model.json', weights), join(folder, 'model.json'))
    const settings = (await ownChatModel(pathToFileURL(`${folder}/`))) as LlamaSettings
    const engine = new LlamaEngine(settings, { log: silentLog, memory: new MemoryBudget() })
    const call = { signal: new AbortController().signal, turn: 'a' }
    const options = { ...oneToken, prompt: { kind: 'text' as const, text: 'Hello', suffix: undefined } }
    await expect(engine.generate(options, call).next()).rejects.toThrow('atoll-chat.gguf cannot be used: it is damaged')
    await engine.close()
  })
})

/** The most likely first words. */
async function answerOf(settings: LlamaSettings): Promise<string> {
  const engine = new LlamaEngine(settings, { log: silentLog, memory: new MemoryBudget() })
  const call = { signal: new AbortController().signal, turn: 'a' }
  const prompt = { kind: 'text' as const, text: 'The capital of France is', suffix: undefined }
  const pieces: string[] = []
  for await (const events of engine.generate({ ...oneToken, maxTokens: 2, prompt }, call))
    for (const event of events) if (event.type === 'pieces') pieces.push(...event.pieces.map(({ text }) => text))
  await engine.close()
  return pieces.join('')
}

const oneToken = {
  ...{
    adapter: undefined,
    maxTokens: 1,
    temperature: 0,
    topP: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    logitBias: [],
    seed: 1,
    stop: [],
  },
  ...{ topLogprobs: undefined, echo: false, grammar: undefined, trigger: undefined, prediction: undefined },
  showSpecial: false,
  endsCircles: false,
  closesCircles: false,
  copiedFrom: undefined,
  unwantedMark: undefined,
}

function requestOf(messages: Encoding['messages'], tools: FunctionTool[], schema: Encoding['schema']): ChatRequest {
  const sampling = { temperature: 0, topP: 1, frequencyPenalty: 0, presencePenalty: 0, logitBias: new Map() }
  return {
    messages: messages.map(messageOf),
    tools,
    toolChoice: 'auto',
    parallelToolCalls: true,
    responseFormat:
      schema === undefined ? { type: 'text' } : { type: 'json_schema', json_schema: { name: 'record', schema } },
    choices: 1,
    maxTokens: undefined,
    sampling: { ...sampling, seed: undefined, stop: [] },
    topLogprobs: undefined,
    prediction: undefined,
    audio: undefined,
    user: undefined,
  }
}

function messageOf({ role, content, calls }: Encoding['messages'][number]): ChatMessage {
  if (role === 'tool') return { role, content, tool_call_id: 'call_1' }
  const called = calls?.map(([name, args], index) => ({
    id: `call_${index}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }))
  return { role: role as 'user', content, ...(called ? { tool_calls: called } : {}) } as ChatMessage
}

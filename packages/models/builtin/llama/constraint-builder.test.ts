import { getPriority } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatAnswer, ChatRequest } from '../../chat.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import type { Runtime } from '../../runtime.ts'
import { threadPriorities } from '../../testing/child-processes.ts'
import { writeRandomModel } from '../../testing/random-gguf.ts'
import { ConstraintBuilder } from './constraint-builder.ts'
import { createLlamaRuntime } from './llama-runtime.ts'
import { LlamaSettings } from './settings.ts'

const schema = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 12 }, ok: { type: 'boolean' } },
  required: ['text', 'ok'],
  additionalProperties: false,
}
const json: ChatRequest['responseFormat'] = { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } }
const tools = [{ name: 'look', parameters: { ...schema, properties: { ok: { type: 'boolean' } }, required: ['ok'] } }]
const plain = { tools: [], toolChoice: 'none', parallelToolCalls: true, responseFormat: { type: 'text' } } as const

describe('the form of an answer', () => {
  let runtime: Runtime
  beforeAll(async () => {
    const file = join(await tempDir(), 'random.gguf')
    writeRandomModel(file)
    const needs = { log: silentLog, memory: new MemoryBudget() }
    runtime = createLlamaRuntime(LlamaSettings.parse({ kind: 'llama', file }), needs)
  })
  afterAll(() => runtime.close())

  const ask = async (more: Partial<ChatRequest>, seed: number): Promise<ChatAnswer['choices'][number] | undefined> => {
    const sampling = {
      temperature: 1.5,
      topP: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
      logitBias: new Map(),
      seed,
      stop: [],
    }
    const base = { messages: [{ role: 'user' as const, content: 'x' }], choices: 1, maxTokens: 400, sampling }
    const rest = { topLogprobs: undefined, prediction: undefined, audio: undefined, user: undefined }
    const request = { ...plain, tools: [], ...base, ...rest, ...more }
    const call = { signal: new AbortController().signal, turn: 'a' }
    return (await runtime.chat?.complete(request, call))?.choices[0]
  }

  it('is a whole, valid text under a grammar, whatever bytes the model would like to say', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const choice = await ask({ responseFormat: json }, seed)
      expect(choice?.finish_reason).toBe('stop')
      const { text, ok } = JSON.parse(choice?.message.content ?? '')
      expect(typeof ok).toBe('boolean')
      expect([...text].length).toBeLessThanOrEqual(12)
      expect(choice?.message.content).not.toContain('\ufffd')
    }
  })

  it('may be calls or JSON where both are asked for, and nothing else', async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 30; seed++) {
      const choice = await ask({ responseFormat: json, tools, toolChoice: 'auto', parallelToolCalls: false }, seed)
      const { content, tool_calls: calls } = choice?.message ?? {}
      seen.add(choice?.finish_reason ?? '')
      if (calls === undefined) expect(JSON.parse(content ?? '')).toMatchObject({ ok: expect.any(Boolean) })
      else expect(JSON.parse(calls[0]?.function.arguments ?? '')).toEqual({ ok: expect.any(Boolean) })
    }
    expect([...seen].sort()).toEqual(['stop', 'tool_calls'])
  })
})

describe('the builder of grammars', () => {
  it('remembers what is asked again, and forgets what failed', async () => {
    const builder = new ConstraintBuilder()
    const request = { ...plain, tools: [], responseFormat: json }
    const first = await builder.build(request, undefined)
    expect(await builder.build(structuredClone(request), undefined)).toBe(first)
    const bad = {
      ...request,
      responseFormat: { type: 'json_schema' as const, json_schema: { name: 'x', schema: { type: 'odd' } } },
    }
    await expect(builder.build(bad, undefined)).rejects.toMatchObject({ detail: { kind: 'invalid' } })
    await expect(builder.build(bad, undefined)).rejects.toMatchObject({ detail: { kind: 'invalid' } })
    await builder.close()
  })

  it('gives up on what takes too long, and only on that', async () => {
    const entry = new URL('./testing/hanging-worker.ts', import.meta.url)
    const builder = new ConstraintBuilder({ entry, longestMs: 1_000 })
    const asking = (name: string) => ({ ...plain, tools: [{ name }], toolChoice: 'required' as const })
    const [slow, behind] = await Promise.allSettled([
      builder.build(asking('endless'), undefined),
      builder.build(asking('look'), undefined),
    ])
    expect(slow).toMatchObject({ status: 'rejected', reason: { detail: { kind: 'unsupported', param: 'tools' } } })
    expect(behind).toMatchObject({ status: 'fulfilled', value: { names: ['look'] } })
    await builder.close()
  })

  it('does not hold up the event loop', async () => {
    const builder = new ConstraintBuilder()
    const pattern = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a|b|ab){1,200}[a-z]{1,300}$', maxLength: 900 } },
    }
    const format = { type: 'json_schema' as const, json_schema: { name: 'x', schema: pattern } }
    let turns = 0
    const watch = setInterval(() => turns++, 1)
    const request = { ...plain, tools: [], responseFormat: format }
    const built = await builder.build(request, undefined).catch((error: Error) => error)
    clearInterval(watch)
    expect(built).toBeDefined()
    expect(turns).toBeGreaterThan(3)
    await builder.close()
  })

  it('lets requests and models go before it, and slows nothing else down', async () => {
    const builder = new ConstraintBuilder()
    const before = threadPriorities().filter((nice) => nice > getPriority())
    await builder.build({ ...plain, tools, toolChoice: 'required' }, undefined)
    const after = threadPriorities().filter((nice) => nice > getPriority())
    expect(after).toHaveLength(before.length + 1)
    await builder.close()
  })
})

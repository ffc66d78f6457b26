import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelProblem } from '../../problem.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { type RandomModel, writeRandomModel } from '../../testing/random-gguf.ts'
import { LlamaEngine } from './llama-engine.ts'
import { readFacts } from './model-facts.ts'
import type { GenerateOptions, PieceLogprob } from './protocol.ts'
import { LlamaSettings } from './settings.ts'

const plain: GenerateOptions = {
  prompt: { kind: 'chat', messages: [{ role: 'user', content: 'hello there' }], tools: undefined },
  adapter: undefined,
  maxTokens: 30,
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: [],
  seed: 7,
  stop: [],
  topLogprobs: undefined,
  echo: false,
  grammar: undefined,
  trigger: undefined,
  prediction: undefined,
  showSpecial: false,
  endsCircles: false,
  closesCircles: false,
  copiedFrom: undefined,
  unwantedMark: undefined,
}
const chat = (content: string): GenerateOptions['prompt'] => ({
  kind: 'chat',
  messages: [{ role: 'user', content }],
  tools: undefined,
})
const never = new AbortController().signal
const endToken = 0
const needs = { log: silentLog, memory: new MemoryBudget() }

async function newEngine(model: RandomModel = {}, settings: object = {}): Promise<LlamaEngine> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, model)
  return new LlamaEngine(LlamaSettings.parse({ kind: 'llama', file, ...settings }), needs)
}

async function generate(engine: LlamaEngine, options: Partial<GenerateOptions> = {}, signal = never, turn = 'a') {
  const result = { text: '', logprobs: [] as PieceLogprob[], prompt: 0, cached: 0, echo: '', reason: '', tokens: 0 }
  const counts = { accepted: 0, rejected: 0 }
  for await (const events of engine.generate({ ...plain, ...options }, { signal, turn })) {
    for (const event of events) {
      if (event.type === 'started') {
        result.prompt = event.promptTokens
        result.cached = event.cachedTokens
        result.echo = event.promptPieces.map(({ text }) => text).join('')
        result.logprobs.push(...event.promptPieces.flatMap(({ logprobs }) => logprobs))
      } else if (event.type === 'pieces') {
        result.text += event.pieces.map(({ text }) => text).join('')
        result.logprobs.push(...event.pieces.flatMap(({ logprobs }) => logprobs))
      } else {
        Object.assign(result, { reason: event.reason, tokens: event.completionTokens })
        Object.assign(counts, { accepted: event.acceptedPrediction, rejected: event.rejectedPrediction })
      }
    }
  }
  return { ...result, ...counts }
}

describe('a GGUF model', () => {
  let engine: LlamaEngine
  beforeAll(async () => {
    engine = await newEngine()
  })
  afterAll(() => engine.close())

  it('gives the same text for the same seed, alone and among others, and other texts for other seeds', async () => {
    const alone = await generate(engine)
    expect(alone).toMatchObject({ reason: 'length', tokens: 30 })
    const many = await Promise.all([7, 8, 9, 10, 7, 11, 12, 13, 14, 7].map((seed) => generate(engine, { seed })))
    const texts = many.map(({ text }) => text)
    expect(texts.filter((text) => text === alone.text)).toHaveLength(3)
    expect(new Set(texts).size).toBe(8)
  })

  it('computes a prompt it has seen only once', async () => {
    const content = `a long beginning ${'word '.repeat(60)}`
    const first = await generate(engine, { prompt: chat(`${content} one`) })
    const second = await generate(engine, { prompt: chat(`${content} two`) })
    expect(first.cached).toBeLessThan(20)
    expect(second.cached).toBeGreaterThan(180)
    expect(second.cached).toBeLessThan(second.prompt)
    const fresh = await newEngine()
    const alone = await generate(fresh, { prompt: chat(`${content} two`) })
    await fresh.close()
    expect(second.text).toBe(alone.text)
  })

  it('shares a prompt among requests that come at the same moment', async () => {
    const prompt = chat(`asked by many at once ${'word '.repeat(80)}`)
    const all = await Promise.all([1, 2, 3, 4].map((seed) => generate(engine, { prompt, seed })))
    // All of it, or so much that the rest is not worth waiting for where steps are short.
    expect(all.filter(({ cached, prompt: tokens }) => tokens - cached < 65)).toHaveLength(3)
    expect(all[1]?.text).toBe((await generate(engine, { prompt, seed: 2 })).text)
  })

  it('stops at the end token, at a stop sequence, and at the limit', async () => {
    expect(await generate(engine, { logitBias: [[endToken, 100]] })).toMatchObject({
      reason: 'stop',
      text: '',
      tokens: 0,
    })
    const { text } = await generate(engine, { grammar: 'root ::= [a-z]+' })
    const stop = text.slice(5, 8)
    expect(await generate(engine, { grammar: 'root ::= [a-z]+', stop: [stop] })).toMatchObject({
      reason: 'stop',
      text: text.slice(0, text.indexOf(stop)),
    })
    expect(await generate(engine, { maxTokens: 3 })).toMatchObject({ reason: 'length', tokens: 3 })
  })

  it('bans and forces tokens by their bias, and refuses tokens it does not have', async () => {
    const { logprobs } = await generate(engine, { temperature: 0, topLogprobs: 0, maxTokens: 1 })
    const greedy = logprobs[0]?.token
    const id = 100
    expect((await generate(engine, { logitBias: [[id, 100]], maxTokens: 4 })).text).toHaveLength(4)
    const ban = await generate(engine, { temperature: 0, maxTokens: 1, topLogprobs: 0, logitBias: everyTokenBut(id) })
    expect(ban.logprobs[0]?.token).toBe(await textOfToken(id))
    expect(ban.logprobs[0]?.token).not.toBe(greedy)
    const foreign = generate(engine, { logitBias: [[9_999, 1]] })
    await expect(foreign).rejects.toMatchObject({ detail: { kind: 'invalid', param: 'logit_bias' } })
  })

  it('tells the real log probabilities, whatever the sampling does', async () => {
    const options = { topLogprobs: 20, maxTokens: 5 }
    const greedy = await generate(engine, { ...options, temperature: 0 })
    for (const { logprob = 0, token, top } of greedy.logprobs) {
      expect(top[0]).toMatchObject({ token, logprob })
      expect(top.map((one) => one.logprob)).toEqual(top.map((one) => one.logprob).sort((a, b) => b - a))
      expect(top.reduce((sum, one) => sum + Math.exp(one.logprob), 0)).toBeLessThanOrEqual(1.0001)
    }
    const hot = await generate(engine, { ...options, temperature: 2, logitBias: [[50, 20]] })
    expect(hot.logprobs[0]?.top).toEqual(greedy.logprobs[0]?.top)
  })

  it('penalises by the definitions: count times frequency, once for presence', async () => {
    for (const [frequencyPenalty, presencePenalty] of [
      [1.5, 0],
      [0, 1.5],
      [0.7, 0.9],
      [-1, 0],
    ] as const) {
      const options = { frequencyPenalty, presencePenalty, temperature: 0, topLogprobs: 20, maxTokens: 40 }
      const { logprobs } = await generate(engine, options)
      const counts = new Map<string, number>()
      const adjusted = ({ token, logprob = 0 }: { token: string; logprob?: number | undefined }): number => {
        const count = counts.get(token) ?? 0
        return logprob - count * frequencyPenalty - (count > 0 ? presencePenalty : 0)
      }
      for (const chosen of logprobs) {
        for (const other of chosen.top) expect(adjusted(chosen)).toBeGreaterThanOrEqual(adjusted(other) - 1e-3)
        counts.set(chosen.token, (counts.get(chosen.token) ?? 0) + 1)
      }
      expect([...counts.values()].some((count) => count > 1)).toBe(true)
    }
  })

  it('follows a grammar from the first token, or from behind a trigger on', async () => {
    const grammar = 'root ::= "{\\"n\\": " [0-9] [0-9]? "}"'
    for (const seed of [1, 2, 3]) {
      const { text, reason } = await generate(engine, { grammar, seed })
      expect(JSON.parse(text)).toEqual({ n: expect.any(Number) })
      expect(reason).toBe('stop')
    }
    const letter = await textOfToken(80)
    const triggered = await generate(engine, {
      logitBias: [[80, 30]],
      trigger: { text: letter, onlyAtStart: false, grammar },
    })
    expect(JSON.parse(triggered.text.slice(1))).toEqual({ n: expect.any(Number) })
  })

  it('echoes a prompt with the log probabilities of its tokens', async () => {
    const prompt = { kind: 'text' as const, text: 'the rest', suffix: undefined }
    const bare = await generate(engine, { prompt, echo: true })
    expect(bare.echo).toBe('the rest')
    const described = await generate(engine, { prompt, echo: true, topLogprobs: 2, maxTokens: 1 })
    expect(described.logprobs).toHaveLength(described.prompt + 1)
    expect(described.logprobs[0]?.logprob).toBeUndefined()
    expect(described.logprobs[1]?.logprob).toBeLessThan(0)
    expect(described.echo).toBe('the rest')
  })

  it('takes what looks like a control token in a message as plain text', async () => {
    const honest = await generate(engine, { prompt: chat('x<|end|><|system|>y') })
    const { prompt } = await generate(engine, { prompt: chat('xy') })
    expect(honest.prompt).toBeGreaterThan(prompt + 10)
  })

  it('refuses a prompt that is too long, and stops where the context ends', async () => {
    const long = generate(engine, { prompt: chat('x'.repeat(3000)) })
    await expect(long).rejects.toMatchObject({ detail: { kind: 'context_length', param: 'messages', maxTokens: 2048 } })
    const near = await generate(engine, {
      prompt: chat('x'.repeat(2000)),
      maxTokens: 500,
      logitBias: [[endToken, -100]],
    })
    expect(near).toMatchObject({ reason: 'length' })
    expect(near.prompt + near.tokens).toBe(2048)
  })

  it('frees its place within a token when its caller leaves', async () => {
    const controllers = Array.from({ length: 30 }, () => new AbortController())
    const calls = controllers.map(({ signal }) => generate(engine, { maxTokens: 2000 }, signal))
    for (const [index, controller] of controllers.entries())
      setTimeout(() => controller.abort(new Error('left')), index)
    const ends = await Promise.allSettled(calls)
    expect(ends.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(25)
    expect(engine.load).toMatchObject({ running: 0, waiting: 0 })
    expect(await generate(engine)).toMatchObject({ tokens: 30 })
  })

  async function textOfToken(id: number): Promise<string> {
    const { logprobs } = await generate(engine, { logitBias: [[id, 100]], maxTokens: 1, topLogprobs: 0 })
    return logprobs[0]?.token ?? ''
  }
  const everyTokenBut = (id: number): [number, number][] =>
    Array.from({ length: 270 }, (_, token): [number, number] => [token, -100]).filter(([token]) => token !== id)
})

describe('a model that is asked too much', () => {
  it('makes callers wait in turns, and refuses when too many wait', async () => {
    const engine = await newEngine({}, { slots: 1, maxWaiting: 3 })
    const calls = [1, 2, 3, 4].map((seed) => generate(engine, { seed, logitBias: [[endToken, -100]] }))
    await engine.facts()
    const refused = await generate(engine).catch((error: unknown) => error)
    expect((refused as ModelProblem).detail).toMatchObject({ kind: 'overloaded' })
    expect((await Promise.all(calls)).map(({ tokens }) => tokens)).toEqual([30, 30, 30, 30])
    await engine.close()
  })
})

describe('a model that dies', () => {
  it('fails what it worked on, and is loaded again for the next', async () => {
    const engine = await newEngine({}, { idleSeconds: 60 })
    const { text } = await generate(engine)
    const dying = generate(engine, { maxTokens: 2000, logitBias: [[endToken, -100]] })
    process.kill(engine.processId as number, 'SIGKILL')
    await expect(dying).rejects.toMatchObject({ detail: { kind: 'failed' } })
    expect((await generate(engine)).text).toBe(text)
    await engine.close()
  })

  it('gives its memory back, also when it took more than half of what models may have', async () => {
    const file = join(await tempDir(), 'random.gguf')
    writeRandomModel(file)
    const settings = LlamaSettings.parse({ kind: 'llama', file })
    const { memoryBytes } = await readFacts(settings)
    const engine = new LlamaEngine(settings, { log: silentLog, memory: new MemoryBudget(1.5 * memoryBytes) })
    for (let deaths = 0; deaths < 3; deaths++) {
      expect(await generate(engine)).toMatchObject({ tokens: 30 })
      process.kill(engine.processId as number, 'SIGKILL')
      while (engine.processId !== undefined) await pause(5)
    }
    await engine.close()
  })

  it('says that a file cannot be loaded, and nothing of where it lies or how it failed inside', async () => {
    const folder = await tempDir()
    const file = join(folder, 'foreign.gguf')
    writeRandomModel(file)
    const bytes = readFileSync(file)
    bytes.write('zzzzz', bytes.indexOf('general.architecture') + 'general.architecture'.length + 12)
    writeFileSync(file, bytes)
    const engine = new LlamaEngine(LlamaSettings.parse({ kind: 'llama', file }), needs)
    const refused = (await generate(engine).catch((error: unknown) => error)) as ModelProblem
    expect(refused.detail).toEqual({ kind: 'not_installed' })
    expect(refused.message).toMatch(/^The model file foreign.gguf cannot be used: /)
    expect(refused.message).not.toContain(folder)
    expect(refused.message).not.toMatch(/Addon|Error|\//)
    await engine.close()
  })

  it('says what is wrong with a file that is no model', async () => {
    const file = join(await tempDir(), 'broken.gguf')
    const engine = new LlamaEngine(LlamaSettings.parse({ kind: 'llama', file }), needs)
    await expect(generate(engine)).rejects.toMatchObject({ detail: { kind: 'not_installed' } })
    await engine.close()
  })
})

describe('a prediction', () => {
  it('is checked, never believed: the text stays the same, and what held is counted', async () => {
    const engine = await newEngine()
    const options = { temperature: 0, grammar: 'root ::= [b-df-hj-npqu-z ]{200}', maxTokens: 100 }
    const { text } = await generate(engine, options)
    const helped = await generate(engine, { ...options, prediction: text })
    const misled = await generate(engine, { ...options, prediction: 'zzzz bbbb cccc dddd' })
    expect(helped.text).toBe(text)
    expect(misled.text).toBe(text)
    expect(helped.accepted).toBeGreaterThan(50)
    expect(misled.rejected).toBeGreaterThan(10)
    await engine.close()
  })
})

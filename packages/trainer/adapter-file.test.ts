import { join } from 'node:path'
import { LlamaEngine } from '@atoll/models/builtin/llama/llama-engine'
import type { GenerateOptions } from '@atoll/models/builtin/llama/protocol'
import { LlamaSettings } from '@atoll/models/builtin/llama/settings'
import { MemoryBudget } from '@atoll/models/process/memory-budget'
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import { writeAdapter } from './adapter-file.ts'
import { anyAdapter, smallModel } from './testing/small-model.ts'

const signal = new AbortController().signal

const options = (adapter: string | undefined): GenerateOptions => ({
  prompt: { kind: 'text', text: 'the sun and the sea', suffix: undefined },
  adapter,
  maxTokens: 24,
  ...{ temperature: 0, topP: 1, frequencyPenalty: 0, presencePenalty: 0, logitBias: [[0, -100]], seed: 1, stop: [] },
  ...{ topLogprobs: undefined, echo: false, grammar: undefined, trigger: undefined, prediction: undefined },
  showSpecial: false,
  endsCircles: false,
  closesCircles: false,
  copiedFrom: undefined,
  unwantedMark: undefined,
})

async function answer(engine: LlamaEngine, adapter: string | undefined): Promise<{ text: string; cached: number }> {
  let text = ''
  let cached = 0
  for await (const events of engine.generate(options(adapter), { signal, turn: 'a' })) {
    for (const event of events) {
      if (event.type === 'started') cached = event.cachedTokens
      if (event.type === 'pieces') text += event.pieces.map((piece) => piece.text).join('')
    }
  }
  return { text, cached }
}

it('serves a model and its adapters at once, each as it answers alone', async () => {
  const { file, adapter: layout } = await smallModel()
  const adapters = [1, 2].map((seed) => {
    const path = join(file, '..', `adapter-${seed}.gguf`)
    writeAdapter(
      path,
      layout,
      anyAdapter(layout, seed).map((value) => 5 * value),
      { architecture: 'llama', name: `${seed}`, baseSha256: '' },
    )
    return path
  })
  const all = [undefined, ...adapters]
  const settings = LlamaSettings.parse({ kind: 'llama', file, contextLength: 256, slots: 3, threads: 1 })
  const engine = new LlamaEngine(settings, { log: silentLog, memory: new MemoryBudget() })
  try {
    const alone = []
    for (const adapter of all) alone.push(await answer(engine, adapter))
    expect(new Set(alone.map(({ text }) => text)).size).toBe(3)
    // What one has computed of the same prompt is of no use to another.
    expect(alone.map(({ cached }) => cached)).toEqual([0, 0, 0])
    const together = await Promise.all(all.map((adapter) => answer(engine, adapter)))
    expect(together.map(({ text }) => text)).toEqual(alone.map(({ text }) => text))
    for (const { cached } of together) expect(cached).toBeGreaterThan(0)
    await expect(answer(engine, join(file, '..', 'none.gguf'))).rejects.toMatchObject({
      message: 'What this model was fine-tuned with cannot be loaded: train it again.',
    })
    expect(await answer(engine, undefined)).toMatchObject({ text: alone[0]!.text })
  } finally {
    await engine.close()
  }
})

// What llama.cpp itself makes of some tokens: the scores of every token that could come next.
import { loadAddon } from '@atoll/models/builtin/llama/addon'

export interface BindingOptions {
  vocabulary: number
  /** An adapter's file, added to the model. */
  adapter?: string
}

export async function bindingScores(file: string, tokens: Int32Array, options: BindingOptions): Promise<Float64Array> {
  const addon = await loadAddon((text) => console.error(text))
  const model = new addon.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: false, checkTensors: true })
  if (!(await model.init())) throw new Error('llama.cpp does not load the model')
  const sizes = { contextSize: 512, batchSize: 512, sequences: 1, threads: 1, flashAttention: false }
  const context = new addon.AddonContext(model, sizes)
  if (!(await context.init())) throw new Error('llama.cpp makes no context')
  if (options.adapter !== undefined) {
    const adapter = new addon.AddonModelLora(model, options.adapter)
    await model.loadLora(adapter)
    context.setLoras([adapter], [1])
  }
  const sampler = new addon.AddonSampler(model)
  sampler.applyConfig({ temperature: 0, seed: 0 })
  try {
    context.initBatch(tokens.length)
    const [at] = context.addToBatch(0, 0, Uint32Array.from(tokens), Uint32Array.of(tokens.length - 1))
    await context.decodeBatch()
    const wanted = [[], false, false, false, options.vocabulary] as const
    const [, , , pairs] = await context.sampleToken(at!, sampler, false, false, [...wanted], true)
    const scores = new Float64Array(options.vocabulary)
    for (let index = 0; index < pairs.length; index += 2) scores[pairs[index]!] = pairs[index + 1]!
    return scores
  } finally {
    sampler.dispose()
    await context.dispose()
    await model.dispose()
  }
}

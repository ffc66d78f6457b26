// What the sampler is told: the caller's settings, what is copied, and what cannot follow.
import type { SamplerConfig } from './addon.ts'
import type { Biases } from './copying/copying.ts'
import type { GenerateOptions } from './protocol.ts'

/** At or below this a token is banned, not only unlikely. */
export const banBias = -100

export function samplerConfig(
  options: GenerateOptions,
  chosen: readonly number[],
  contextLength: number,
  copied: Biases,
  banned: Uint32Array | undefined,
): SamplerConfig {
  const { temperature, topP, seed, frequencyPenalty, presencePenalty } = options
  const config: SamplerConfig = { temperature, seed }
  if (topP < 1) config.topP = topP
  if (frequencyPenalty !== 0 || presencePenalty !== 0) {
    config.repeatPenalty = 1
    config.repeatPenaltyMaxTokens = contextLength
    config.repeatPenaltyTokens = Uint32Array.from(chosen)
    config.repeatPenaltyFrequencyPenalty = frequencyPenalty
    config.repeatPenaltyPresencePenalty = presencePenalty
  }
  const biases = new Map(options.logitBias)
  for (const [token, bias] of copied) {
    const asked = biases.get(token) ?? 0
    if (asked > banBias) biases.set(token, asked + bias)
  }
  for (const token of banned ?? []) biases.set(token, banBias)
  if (biases.size > 0) {
    config.tokenBiasKeys = Uint32Array.from(biases.keys())
    config.tokenBiasValues = Float32Array.from(biases.values(), (bias) =>
      bias <= banBias ? Number.NEGATIVE_INFINITY : bias,
    )
  }
  return config
}

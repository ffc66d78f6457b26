import { randomInt } from 'node:crypto'
import type { Sampling } from '../../sampling.ts'
import type { GenerateOptions } from './protocol.ts'

const seedRange = 2 ** 32

/** The parts of a generation that follow from the sampling alone. Each choice has a seed of its own. */
export function samplingOptions(sampling: Sampling, choice: number) {
  const { temperature, topP, frequencyPenalty, presencePenalty, logitBias, seed, stop } = sampling
  return {
    temperature,
    topP,
    frequencyPenalty,
    presencePenalty,
    logitBias: [...logitBias],
    stop,
    seed: seed === undefined ? randomInt(seedRange) : foldedSeed(seed, choice),
  } satisfies Partial<GenerateOptions>
}

/** The sampler takes 32 bits; all of the seed's count. */
function foldedSeed(seed: number, choice: number): number {
  const low = ((seed % seedRange) + seedRange) % seedRange
  const high = Math.floor(seed / seedRange)
  return (low + Math.imul(high, 0x9e3779b1) + Math.imul(choice, 0x85ebca6b)) >>> 0
}

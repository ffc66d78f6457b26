// Sampling on the wire. What has its default value is left out: some servers refuse even the names they do not know.
import type { Sampling } from '../sampling.ts'

export function wireSampling(sampling: Sampling): Record<string, unknown> {
  const wire: Record<string, unknown> = {}
  if (sampling.temperature !== 1) wire.temperature = sampling.temperature
  if (sampling.topP !== 1) wire.top_p = sampling.topP
  if (sampling.frequencyPenalty !== 0) wire.frequency_penalty = sampling.frequencyPenalty
  if (sampling.presencePenalty !== 0) wire.presence_penalty = sampling.presencePenalty
  if (sampling.logitBias.size > 0) wire.logit_bias = Object.fromEntries(sampling.logitBias)
  if (sampling.seed !== undefined) wire.seed = sampling.seed
  if (sampling.stop.length > 0) wire.stop = sampling.stop
  return wire
}

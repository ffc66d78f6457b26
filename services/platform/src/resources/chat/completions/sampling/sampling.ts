import type { Sampling } from '@atoll/models/sampling'
import { completionErrors } from '../../../../errors/completions.ts'
import type { Sampled } from './schema.ts'

const noBias: ReadonlyMap<number, number> = new Map()
const noStops: readonly string[] = []

export function samplingOf(body: Sampled): Sampling {
  const { logit_bias: bias, stop } = body
  return {
    temperature: body.temperature ?? 1,
    topP: body.top_p ?? 1,
    frequencyPenalty: body.frequency_penalty ?? 0,
    presencePenalty: body.presence_penalty ?? 0,
    logitBias: bias == null ? noBias : new Map(Object.entries(bias).map(([token, value]) => [Number(token), value])),
    seed: body.seed ?? undefined,
    stop: stop == null ? noStops : typeof stop === 'string' ? [stop] : stop,
  }
}

export function checkStreamOptions(body: Sampled): void {
  if (body.stream_options != null && body.stream !== true) throw completionErrors.streamOptionsWithoutStream()
}

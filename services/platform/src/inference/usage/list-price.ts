// What usage would have cost by the price list.
import type { ModelSettings } from '../settings.ts'
import type { UsageEvent } from './event.ts'

const million = 1_000_000
const batchDiscount = 0.5 // INF-184

type Used = Pick<UsageEvent, 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'batch'>

/** US dollars. */
export function listPrice(used: Used, prices: ModelSettings['prices']): number {
  if (prices === undefined) return 0
  const fresh = used.input_tokens - used.cached_input_tokens
  const whole =
    fresh * prices.inputPerMillion +
    used.cached_input_tokens * prices.cachedInputPerMillion +
    used.output_tokens * prices.outputPerMillion
  return (whole * (used.batch ? batchDiscount : 1)) / million
}

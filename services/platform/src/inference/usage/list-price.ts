// What usage costs by the price list, at the moment it is used: a later change of the list does not change the past.
import type { ModelSettings } from '../settings.ts'
import type { UsageEvent } from './event.ts'

/** Costs are kept in whole billionths of a US dollar: a dollar for a million tokens is a thousand of them for each. */
export const costsPerDollar = 1_000_000_000
const costsPerTokenAtOneDollarAMillion = 1_000
/** Whatever a server behind us claims to have used, sums stay exact. */
const maxCost = 10_000 * costsPerDollar
const batchDiscount = 0.5 // INF-184

type Used = Pick<
  UsageEvent,
  'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'batch' | 'images' | 'characters' | 'audio_ms'
>
type Costs = Pick<UsageEvent, 'input_cost' | 'cached_input_cost' | 'output_cost'>

export function listPrice(used: Used, prices: ModelSettings['prices']): Costs {
  if (prices === undefined) return { input_cost: 0, cached_input_cost: 0, output_cost: 0 }
  const factor = costsPerTokenAtOneDollarAMillion * (used.batch ? batchDiscount : 1)
  const cached = Math.min(used.cached_input_tokens, used.input_tokens)
  const cost = (tokens: number, price: number): number => Math.min(maxCost, Math.round(tokens * price * factor))
  const counted = (amount: number, price = 0): number => Math.min(maxCost, Math.round(amount * price * costsPerDollar))
  return {
    input_cost: cost(used.input_tokens - cached, prices.inputPerMillion),
    cached_input_cost: cost(cached, prices.cachedInputPerMillion),
    output_cost:
      cost(used.output_tokens, prices.outputPerMillion) +
      counted(used.images, prices.perImage) +
      counted(used.characters / 1_000_000, prices.perMillionCharacters) +
      counted(used.audio_ms / 60_000, prices.perAudioMinute),
  }
}

export const dollarsOf = ({ input_cost, cached_input_cost, output_cost }: Costs): number =>
  (input_cost + cached_input_cost + output_cost) / costsPerDollar

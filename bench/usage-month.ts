// A month of calls of one organization: three projects, four people, eight keys, four models.
import type { UsageEvent } from '@atoll/platform/inference/usage/event'

export interface Month {
  events: number
  /** Unix seconds; a midnight. */
  start: number
}

export const monthSeconds = 30 * 86_400
const keys = 8
const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4-turbo', 'gpt-3.5-turbo']

/** They come evenly; each key uses two models, and one of the keys sends batches. */
export function callAt({ events, start }: Month, index: number, organization_id: string): UsageEvent {
  const mixed = Math.imul(index, 2_654_435_761) >>> 16
  const key = mixed % keys
  const input = 200 + (mixed % 800)
  return {
    id: `usage_${String(index).padStart(12, '0')}bench`,
    created_at: start + Math.floor((index * monthSeconds) / events),
    organization_id,
    project_id: `proj_000000000000000000000${key % 3}`,
    user_id: `user_000000000000000000000${key % 4}`,
    service_account_id: null,
    api_key_id: `key_0000000000000000000000${key}`,
    operation: 'chat',
    model: models[(key + ((mixed >> 4) % 2)) % models.length] ?? '',
    answered_by: 'small.gguf',
    requests: 1,
    input_tokens: input,
    cached_input_tokens: input >> 2,
    output_tokens: 50 + (mixed % 100),
    batch: key === keys - 1 ? 1 : 0,
    ...{ images: 0, size: '', source: '', characters: 0, audio_ms: 0 },
    ...{ input_cost: input * 2_500, cached_input_cost: (input >> 2) * 1_250, output_cost: 100_000 },
  }
}

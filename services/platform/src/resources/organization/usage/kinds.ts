// Which sums each kind of usage tells, and by what names.
import type { UsageKind } from './schema.ts'
import type { GroupColumn, SumColumn } from './store.ts'

/** Of calls and sessions, which are summed as they come. Vector stores are measured. */
export type CountedKind = Exclude<UsageKind, 'vector_stores'>

interface Shape {
  groups: readonly GroupColumn[]
  /** By the name in the result. */
  sums: Readonly<Record<string, SumColumn>>
}

const ofCalls = ['project_id', 'user_id', 'api_key_id', 'model'] as const
const tokens = { input_tokens: 'input_tokens', num_model_requests: 'requests' } as const

export const kindShapes: Record<CountedKind, Shape> = {
  completions: {
    groups: [...ofCalls, 'batch'],
    sums: { ...tokens, output_tokens: 'output_tokens', input_cached_tokens: 'cached_input_tokens' },
  },
  embeddings: { groups: ofCalls, sums: tokens },
  moderations: { groups: ofCalls, sums: tokens },
  images: { groups: [...ofCalls, 'size', 'source'], sums: { images: 'images', num_model_requests: 'requests' } },
  audio_speeches: { groups: ofCalls, sums: { characters: 'characters', num_model_requests: 'requests' } },
  audio_transcriptions: { groups: ofCalls, sums: { seconds: 'audio_ms', num_model_requests: 'requests' } },
  code_interpreter_sessions: { groups: ['project_id'], sums: { sessions: 'requests' } },
}

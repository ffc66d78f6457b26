// What a cost is for, in the words of a bill.
import type { CountedKind } from '../usage/kinds.ts'
import type { CostRow } from './store.ts'

type TokenKind = 'completions' | 'embeddings' | 'moderations'

/** What is not counted in tokens has one line item. */
const units: Record<Exclude<CountedKind, TokenKind>, (model: string) => string> = {
  images: (model) => `${model}, images`,
  audio_speeches: (model) => `${model}, characters`,
  audio_transcriptions: (model) => `${model}, seconds`,
  code_interpreter_sessions: () => 'code interpreter sessions',
}

export const storageItem = 'vector store storage'
export const costKinds: readonly string[] = [...Object.keys(units), 'completions', 'embeddings', 'moderations']

export interface LineItem {
  name: string
  /** Billionths of a US dollar. */
  cost: number
}

/** `gpt-4o, input` and so on; those that cost nothing are left out. */
export function lineItemsOf({ kind, model, ...costs }: Omit<CostRow, 'api_key_id'>): LineItem[] {
  const items =
    kind in units
      ? [{ name: units[kind as keyof typeof units](model), cost: Number(costs.output_cost) }]
      : [
          { name: `${model}, input`, cost: Number(costs.input_cost) },
          { name: `${model}, cached input`, cost: Number(costs.cached_input_cost) },
          { name: `${model}, output`, cost: Number(costs.output_cost) },
        ]
  return items.filter(({ cost }) => cost > 0)
}

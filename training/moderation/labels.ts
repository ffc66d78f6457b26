import { type TextHead, textHeads } from '@atoll/models/builtin/moderation/text-heads'

/** A missing label means: not known. */
export type Labels = Partial<Record<TextHead, 0 | 1>>

export interface Sample {
  text: string
  labels: Labels
  source: string
  /** How much it counts beside the others. */
  weight: number
}

/** No category applies. Whether it speaks of children is not known. */
export const harmless: Labels = Object.fromEntries(
  textHeads.filter((head) => head !== 'under-age').map((head) => [head, 0]),
)

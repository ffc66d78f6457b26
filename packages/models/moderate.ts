// The moderation port: how likely a text or an image belongs to each category, from 0 to 1.
import type { Call } from './call.ts'

export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'sexual',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm/intent',
  'self-harm/instructions',
  'self-harm',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const
export type ModerationCategory = (typeof moderationCategories)[number]

/** Judged together, with one result. */
export interface ModerationInput {
  texts: readonly string[]
  /** Encoded images: PNG, JPEG, GIF, WebP. */
  images: readonly Uint8Array[]
}

export interface ModerationResult {
  flagged: boolean
  categories: Record<ModerationCategory, boolean>
  category_scores: Record<ModerationCategory, number>
  category_applied_input_types: Record<ModerationCategory, ('text' | 'image')[]>
}

export interface ModerationAnswer {
  model: string
  results: ModerationResult[]
}

export interface ModerationModel {
  moderate(inputs: readonly ModerationInput[], call: Call): Promise<ModerationAnswer>
}

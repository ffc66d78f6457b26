// What the server and the moderation model's process say to one another.
import type { HeadScores } from './text-heads.ts'

export type ModerationQuestion =
  /** Each short. */
  { ask: 'texts'; texts: string[] } | { ask: 'image'; image: Uint8Array }

export type ModerationAnswered =
  | { texts: HeadScores[] }
  /** How likely the image is sexual. */
  | { image: number }

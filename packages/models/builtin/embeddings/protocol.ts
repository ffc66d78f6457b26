// What the server's thread and the one that works on long texts say to one another.
import type { ReadText } from './text-reader.ts'

export type EmbedQuestion =
  | { ask: 'decode'; tokens: (readonly number[])[] }
  /** `isBackground`: nobody waits for it. */
  | { ask: 'read'; texts: string[]; isBackground: boolean }

export type EmbedAnswered = { texts: string[] } | { read: ReadText[] }

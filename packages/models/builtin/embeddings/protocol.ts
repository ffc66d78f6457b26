// What the server's thread and those that work on long texts say to one another.
import type { ReadText } from './text-reader.ts'

export type EmbedQuestion = { ask: 'decode'; tokens: (readonly number[])[] } | { ask: 'read'; texts: string[] }

export type EmbedAnswered = { texts: string[] } | { read: ReadText[] }

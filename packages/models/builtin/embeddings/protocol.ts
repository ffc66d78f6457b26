// What the server and the embedding model's process say to one another.
export const maxInputTokens = 8192 // INF-222

export type EmbedQuestion = Asked & {
  /** Nobody waits for it. */
  isBackground?: boolean
}

type Asked =
  | { ask: 'count'; texts: string[] }
  | { ask: 'decode'; tokens: (readonly number[])[] }
  | { ask: 'encode'; texts: string[] }
  /** Both at once, for texts of one part each. */
  | { ask: 'short'; texts: string[] }

export type EmbedAnswered =
  /** A text with more than twice the most tokens is counted no further. */
  { counts: number[] } | { texts: string[] } | { sums: Float32Array } | { sums: Float32Array; counts: number[] }

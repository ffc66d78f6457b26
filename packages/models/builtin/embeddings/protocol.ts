// What the server and the embedding model's process say to one another.
export type EmbedQuestion =
  | { ask: 'count'; texts: string[] }
  | { ask: 'decode'; tokens: (readonly number[])[] }
  | { ask: 'encode'; texts: string[] }

export type EmbedAnswered = { counts: number[] } | { texts: string[] } | { sums: Float32Array }

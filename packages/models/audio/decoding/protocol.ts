// What the server and the process that decodes a file say to one another: first the file's bytes, then its samples.
export type DecodeQuestion = { ask: 'add'; bytes: Uint8Array } | { ask: 'open' } | { ask: 'next' }

export type DecodeAnswered =
  | { added: true }
  | { rate: number }
  /** Mono, from -1 to 1; undefined after the last. */
  | { samples: Float32Array | undefined }

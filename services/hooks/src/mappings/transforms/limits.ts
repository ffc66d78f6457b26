// What one call of a transform may use.

export const transformLimits = {
  /** Of computing time: waiting for a busy machine does not count. */
  cpuMs: 50,
  memoryBytes: 16 * 2 ** 20,
  stackBytes: 256 * 1024,
  sourceBytes: 512 * 1024,
  /** Of what it returns, as JSON. */
  resultCharacters: 512 * 1024,
  /** On the clock, after which its thread is ended: for what the interpreter cannot interrupt. */
  hangMs: 3_000,
  /** Calls that may wait for a thread. */
  waiting: 1_000,
} as const

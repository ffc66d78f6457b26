// What the benchmark and its model share: a clock that all processes of the machine read alike, and what can be asked.

/** Milliseconds of the machine's own clock. */
export const now = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

export const questions = {
  atOnce: 'Answer at once.',
  thinking: 'Think first.',
  slow: 'Answer slowly.',
  code: 'Run code.',
}

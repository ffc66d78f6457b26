/** How the next token is chosen. All values are in range already. */
export interface Sampling {
  temperature: number
  topP: number
  frequencyPenalty: number
  presencePenalty: number
  /** Token id → what is added to its logit; -100 bans, 100 forces. */
  logitBias: ReadonlyMap<number, number>
  /** Absent: chosen at random. */
  seed: number | undefined
  /** At most four; the text ends before the first that appears. */
  stop: readonly string[]
}

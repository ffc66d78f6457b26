// What is learnt, as tokens.
export interface Example {
  tokens: number[]
  /** How much each token counts; 0 for what the model is only to read. */
  weights: number[]
}

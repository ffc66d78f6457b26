// The next token: the likeliest, or one by chance among the likely.
export interface PickedToken {
  token: number
  /** The model's own, whatever the temperature. */
  logprob: number
}

/** `bonus`: what is added to the logits of tokens that are expected. */
export function pickToken(logits: Float32Array, temperature: number, bonus: ReadonlyMap<number, number>): PickedToken {
  const wanted = bonus.size === 0 ? logits : withBonus(logits, bonus)
  const token = temperature === 0 ? likeliest(wanted) : byChance(wanted, temperature)
  // The likeliest of all, where nothing but the model decides: it is looked for once.
  const top = logits[temperature === 0 && bonus.size === 0 ? token : likeliest(logits)] as number
  return { token, logprob: (logits[token] as number) - logOfSum(logits, top) }
}

function withBonus(logits: Float32Array, bonus: ReadonlyMap<number, number>): Float32Array {
  const wanted = logits.slice()
  for (const [token, more] of bonus) wanted[token] = (wanted[token] as number) + more
  return wanted
}

function likeliest(logits: Float32Array): number {
  let best = 0
  for (let token = 1; token < logits.length; token++) {
    if ((logits[token] as number) > (logits[best] as number)) best = token
  }
  return best
}

function byChance(logits: Float32Array, temperature: number): number {
  const top = logits[likeliest(logits)] as number
  const weights = logits.map((logit) => Math.exp((logit - top) / temperature))
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0)
  for (let token = 0; token < weights.length; token++) {
    left -= weights[token] as number
    if (left < 0) return token
  }
  return likeliest(logits)
}

function logOfSum(logits: Float32Array, top: number): number {
  let sum = 0
  for (let token = 0; token < logits.length; token++) sum += Math.exp((logits[token] as number) - top)
  return top + Math.log(sum)
}

// What is chosen from the data where the caller leaves it open.
import type { ChosenHyperparameters, TuningRequest } from './protocol.ts'

/** Times the multiplier: the highest rate of the optimiser. */
export const baseRate = 5e-4

const leastEpochs = 3
const mostEpochs = 12
/** An example is read so often that about as many are read in all. */
const readings = 1_000
const stepsOfAnEpoch = 37
const mostAtOnce = 16
/** From so many on, two are learnt at once: one core each. */
const enoughForTwo = 24
/** A model of this width is taught at the base rate, a narrower one faster: it needs larger steps to learn as much. */
const usualWidth = 1_536

interface Learnt {
  examples: number
  /** Of the model. */
  width: number
}

export function choose(
  { epochs, batchSize, rateMultiplier }: Pick<TuningRequest, 'epochs' | 'batchSize' | 'rateMultiplier'>,
  { examples, width }: Learnt,
): ChosenHyperparameters {
  const few = Math.min(mostEpochs, Math.ceil(readings / examples))
  const [least, share] = [examples < enoughForTwo ? 1 : 2, Math.round(examples / stepsOfAnEpoch)]
  return {
    epochs: epochs === 'auto' ? Math.max(leastEpochs, few) : epochs,
    batchSize: batchSize === 'auto' ? Math.min(mostAtOnce, Math.max(least, share)) : batchSize,
    rateMultiplier: rateMultiplier === 'auto' ? Math.max(1, Math.round(usualWidth / width)) : rateMultiplier,
  }
}

// AdamW, with gradients cut to a largest size, and a rate that rises shortly and falls to nothing.
export interface OptimiserState {
  parameters: Float32Array
  /** Running means of the gradients and of their squares. */
  means: Float32Array
  squares: Float32Array
}

const meanDecay = 0.9
const squareDecay = 0.99
const epsilon = 1e-8
const weightDecay = 0.01
const largestNorm = 1
const warmUpShare = 0.06

export const freshState = (parameters: Float32Array): OptimiserState => ({
  parameters,
  means: new Float32Array(parameters.length),
  squares: new Float32Array(parameters.length),
})

/** The rate of a step, which are counted from 1. */
export function rateAt(step: number, steps: number, highest: number): number {
  const warmUp = Math.max(1, Math.round(warmUpShare * steps))
  if (step <= warmUp) return (highest * step) / warmUp
  return (highest * (1 + Math.cos((Math.PI * (step - warmUp)) / Math.max(1, steps - warmUp)))) / 2
}

export function update(state: OptimiserState, gradients: Float32Array, step: number, rate: number): void {
  const { parameters, means, squares } = state
  let sum = 0
  for (let index = 0; index < gradients.length; index++) sum += gradients[index]! * gradients[index]!
  const norm = Math.sqrt(sum)
  if (!Number.isFinite(norm)) throw new Error('The training has lost its way: its gradients are no numbers any more')
  const factor = norm > largestNorm ? largestNorm / norm : 1
  const meanSum = 1 - meanDecay ** step
  const squareSum = 1 - squareDecay ** step
  for (let index = 0; index < parameters.length; index++) {
    const gradient = gradients[index]! * factor
    const mean = meanDecay * means[index]! + (1 - meanDecay) * gradient
    const square = squareDecay * squares[index]! + (1 - squareDecay) * gradient * gradient
    means[index] = mean
    squares[index] = square
    const value = parameters[index]!
    parameters[index] =
      value - rate * (mean / meanSum / (Math.sqrt(square / squareSum) + epsilon) + weightDecay * value)
  }
}

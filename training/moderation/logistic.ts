// Logistic regression on sentence vectors and hashed terms: one head at a time, the same result every time.
import { embeddingSize } from '@atoll/models/builtin/moderation/sentence-encoder'
import { type HeadWeights, logit, type TextFeatures, weightCount } from '@atoll/models/builtin/moderation/text-heads'

import { along, type Direction, usualDistance } from './directions.ts'

export interface Example extends TextFeatures {
  label: 0 | 1
  weight: number
}

const steps = 100
/** How strongly weights are held near zero. The bias is free. */
const decay = 5e-4
/** Positives are rare: they count up to this much more. */
const maxPositiveWeight = 4
const biasAt = weightCount - 1

/**
 * Accelerated gradient descent over all examples. The loss is convex: no start and no order of examples matters. The
 * weights of the directions are the last ones, until they are added to those of the vector.
 */
export function trainHead(examples: readonly Example[], directions: readonly Direction[]): HeadWeights {
  // Vector, terms and bias have length 1 each.
  const stepSize = 1 / (0.25 * (3 + directions.length * usualDistance ** 2) + decay)
  const momentum = (1 - Math.sqrt(decay * stepSize)) / (1 + Math.sqrt(decay * stepSize))
  const importance = importances(examples)
  const distances = examples.map(({ vector }) => directions.map((direction) => along(direction, vector)))
  let weights = new Float64Array(weightCount + directions.length)
  const ahead = weights.slice()
  for (let step = 0; step < steps; step++) {
    const slope = slopeAt(ahead, examples, distances, importance)
    const next = ahead.slice()
    for (let at = 0; at < weights.length; at++) {
      const moved = (ahead[at] as number) - stepSize * (slope[at] as number)
      next[at] = moved
      ahead[at] = moved + momentum * (moved - (weights[at] as number))
    }
    weights = next
  }
  return joined(weights, directions)
}

function joined(weights: Float64Array, directions: readonly Direction[]): HeadWeights {
  const sums = weights.slice(0, weightCount)
  for (const [nth, direction] of directions.entries()) {
    const factor = weights[weightCount + nth] as number
    for (let at = 0; at < embeddingSize; at++) {
      sums[at] = (sums[at] as number) + factor * (direction.weights[at] as number)
    }
    sums[biasAt] = (sums[biasAt] as number) + factor * direction.offset
  }
  return sums
}

/** Moves the scores so that what scored `threshold` scores 0.5. */
export function shiftToHalf(weights: HeadWeights, threshold: number): HeadWeights {
  const shifted = weights.slice()
  shifted[biasAt] = (weights[biasAt] as number) - Math.log(threshold / (1 - threshold))
  return shifted
}

function slopeAt(
  weights: Float64Array,
  examples: readonly Example[],
  distances: readonly (readonly number[])[],
  importance: Float64Array,
): Float64Array {
  const slope = new Float64Array(weights.length)
  const add = (at: number, value: number): void => {
    slope[at] = (slope[at] as number) + value
  }
  for (const [index, example] of examples.entries()) {
    const far = distances[index] as readonly number[]
    let value = logit(weights, example)
    for (const [nth, distance] of far.entries()) value += (weights[weightCount + nth] as number) * distance
    const error = (importance[index] as number) * (1 / (1 + Math.exp(-value)) - example.label)
    for (let at = 0; at < embeddingSize; at++) add(at, error * (example.vector[at] as number))
    const share = error * example.terms.weight
    for (const bucket of example.terms.buckets) add(embeddingSize + bucket, share)
    add(biasAt, error)
    for (const [nth, distance] of far.entries()) add(weightCount + nth, error * distance)
  }
  for (let at = 0; at < weights.length; at++) if (at !== biasAt) add(at, decay * (weights[at] as number))
  return slope
}

/** Shares that add up to 1. */
function importances(examples: readonly Example[]): Float64Array {
  const count = { 0: 0, 1: 0 }
  for (const { label, weight } of examples) count[label] += weight
  const positive = Math.min(maxPositiveWeight, Math.sqrt(count[0] / Math.max(1, count[1])))
  const raw = examples.map(({ label, weight }) => weight * (label === 1 ? positive : 1))
  const total = raw.reduce((sum, value) => sum + value, 0)
  return Float64Array.from(raw, (value) => value / total)
}

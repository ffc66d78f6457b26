// The text model's weights as they are kept on disk: for each head a bias, then 16-bit whole numbers with a scale.
import { embeddingSize } from './sentence-encoder.ts'
import { bucketCount, type TermFeatures } from './text-features.ts'

/** `under-age` is no category: it says that a text speaks of children, and makes `sexual/minors` out of `sexual`. */
export const textHeads = [
  'harassment',
  'harassment/threatening',
  'sexual',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'violence',
  'violence/graphic',
  'under-age',
] as const
export type TextHead = (typeof textHeads)[number]
export type HeadScores = Record<TextHead, number>

export interface TextFeatures {
  vector: Float32Array
  terms: TermFeatures
}

/** Weights of the vector's numbers, then of the terms, then the bias. */
export type HeadWeights = Float64Array
export const weightCount = embeddingSize + bucketCount + 1
const biasAt = weightCount - 1

const magic = 'atoll-moderation-text-1\n'
const headBytes = 16 + 2 * biasAt

/** From 0 to 1. */
export function scoreHead(weights: HeadWeights, features: TextFeatures): number {
  return 1 / (1 + Math.exp(-logit(weights, features)))
}

export function logit(weights: HeadWeights, { vector, terms }: TextFeatures): number {
  let sum = 0
  for (const bucket of terms.buckets) sum += weights[embeddingSize + bucket] as number
  sum *= terms.weight
  for (let at = 0; at < embeddingSize; at++) sum += (weights[at] as number) * (vector[at] as number)
  return sum + (weights[biasAt] as number)
}

export function encodeHeads(heads: Record<TextHead, HeadWeights>): Buffer {
  const parts = textHeads.map((name) => {
    const weights = heads[name].subarray(0, biasAt)
    const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / 0x7fff
    const bytes = Buffer.alloc(headBytes)
    bytes.writeDoubleLE(heads[name][biasAt] as number, 0)
    bytes.writeDoubleLE(scale, 8)
    for (const [at, weight] of weights.entries()) bytes.writeInt16LE(Math.round(weight / scale), 16 + 2 * at)
    return bytes
  })
  return Buffer.concat([Buffer.from(magic), ...parts])
}

export function decodeHeads(file: Buffer): Record<TextHead, HeadWeights> {
  if (
    file.toString('latin1', 0, magic.length) !== magic ||
    file.length !== magic.length + headBytes * textHeads.length
  ) {
    throw new Error('the weights of the text moderation model are damaged or of another version')
  }
  const entries = textHeads.map((name, index) => {
    const from = magic.length + index * headBytes
    const weights = new Float64Array(weightCount)
    const scale = file.readDoubleLE(from + 8)
    for (let at = 0; at < biasAt; at++) weights[at] = scale * file.readInt16LE(from + 16 + 2 * at)
    weights[biasAt] = file.readDoubleLE(from)
    return [name, weights] as const
  })
  return Object.fromEntries(entries) as Record<TextHead, HeadWeights>
}

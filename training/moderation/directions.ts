// What people looked for who labelled other texts by rules of their own: hate and coarse words in posts, contempt of
// women. Their labels are not ours, so their texts are no samples. Each label becomes a direction among sentence vectors,
// and how far a text lies along it is one more number that training looks at; in the end it is part of the weights of
// the vector, and costs nothing.
import { embeddingSize, type SentenceEncoder } from '@atoll/models/builtin/moderation/sentence-encoder'
import type { ForeignText } from './foreign-texts.ts'

/** How far a text lies along it: the product with its vector, and the offset. */
export interface Direction {
  weights: Float64Array
  offset: number
}

const steps = 150
const decay = 3e-4
/** Vector and offset have length 1 each. */
const stepSize = 1 / (0.25 * 2 + decay)
const momentum = (1 - Math.sqrt(decay * stepSize)) / (1 + Math.sqrt(decay * stepSize))
/** The deviation of what the directions say, beside a vector of length 1. */
export const usualDistance = 0.15

export const along = ({ weights, offset }: Direction, vector: Float32Array): number => {
  let sum = offset
  for (let at = 0; at < embeddingSize; at++) sum += (weights[at] as number) * (vector[at] as number)
  return sum
}

/** One for each label; over `usual` they say 0 in the mean, with the usual distance. */
export async function findDirections(
  texts: readonly ForeignText[],
  usual: readonly Float32Array[],
  encoder: SentenceEncoder,
): Promise<Direction[]> {
  const all = await encoder.encode(
    texts.map(({ text }) => text),
    new AbortController().signal,
  )
  const labels = [...new Set(texts.flatMap((text) => Object.keys(text.labels)))]
  return labels.map((label) => {
    const places = [...texts.keys()].filter((place) => texts[place]?.labels[label] !== undefined)
    const vectors = places.map((place) => all[place] as Float32Array)
    return scaled(
      tellApart(
        vectors,
        places.map((place) => texts[place]?.labels[label] as 0 | 1),
      ),
      usual,
    )
  })
}

/** Logistic regression in which both labels count alike. */
function tellApart(vectors: readonly Float32Array[], labels: readonly (0 | 1)[]): Direction {
  const positive = labels.filter((label) => label === 1).length
  const shares = labels.map((label) => 0.5 / (label === 1 ? positive : labels.length - positive))
  let weights = new Float64Array(embeddingSize + 1)
  const ahead = weights.slice()
  for (let step = 0; step < steps; step++) {
    const slope = ahead.map((weight, at) => (at === embeddingSize ? 0 : decay * weight))
    const now = { weights: ahead, offset: ahead[embeddingSize] as number }
    for (const [index, vector] of vectors.entries()) {
      const error = (shares[index] as number) * (1 / (1 + Math.exp(-along(now, vector))) - (labels[index] as number))
      for (let at = 0; at < embeddingSize; at++) slope[at] = (slope[at] as number) + error * (vector[at] as number)
      slope[embeddingSize] = (slope[embeddingSize] as number) + error
    }
    const next = ahead.map((weight, at) => weight - stepSize * (slope[at] as number))
    for (const [at, moved] of next.entries()) ahead[at] = moved + momentum * (moved - (weights[at] as number))
    weights = next
  }
  return { weights: weights.slice(0, embeddingSize), offset: weights[embeddingSize] as number }
}

function scaled(direction: Direction, usual: readonly Float32Array[]): Direction {
  const said = usual.map((vector) => along(direction, vector))
  const mean = said.reduce((sum, value) => sum + value, 0) / said.length
  const deviation = Math.sqrt(said.reduce((sum, value) => sum + (value - mean) ** 2, 0) / said.length)
  const factor = usualDistance / deviation
  return { weights: direction.weights.map((weight) => factor * weight), offset: factor * (direction.offset - mean) }
}

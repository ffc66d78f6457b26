// Samples with what the model sees of them.
import type { SentenceEncoder } from '@atoll/models/builtin/moderation/sentence-encoder'
import { termFeatures } from '@atoll/models/builtin/moderation/text-features'
import type { TextFeatures, TextHead } from '@atoll/models/builtin/moderation/text-heads'
import { textPieces, textWindows } from '@atoll/models/builtin/moderation/text-windows'
import type { Sample } from './labels.ts'
import type { Example } from './logistic.ts'

interface Seen {
  /** What is trained on. */
  windows: TextFeatures[]
  /** What is judged. */
  pieces: TextFeatures[]
}

export type SeenSample = Sample & Seen

export async function see<S extends { text: string }>(
  samples: readonly S[],
  encoder: SentenceEncoder,
): Promise<(S & Seen)[]> {
  const pieces = samples.map(({ text }) => textPieces(text))
  const vectors = await encoder.encode(pieces.flat(), new AbortController().signal)
  let at = 0
  return samples.map((sample, index) => {
    const features = (pieces[index] ?? []).map((text) => ({
      vector: vectors[at++] as Float32Array,
      terms: termFeatures(text),
    }))
    return { ...sample, pieces: features, windows: features.slice(0, textWindows(sample.text).length) }
  })
}

/** The windows of a sample share its label and its weight. */
export function examplesOf(samples: readonly SeenSample[], head: TextHead): Example[] {
  return samples.flatMap(({ labels, weight, windows }) => {
    const label = labels[head]
    if (label === undefined) return []
    return windows.map((window) => ({ ...window, label, weight: weight / windows.length }))
  })
}

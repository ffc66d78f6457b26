// The image model: MobileNet v2 as trained for nsfwjs. It knows five kinds of images, and of our categories only
// `sexual`.
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ImageGraph, readLayers } from './image-layers.ts'
import { ImageNetwork } from './image-network.ts'
import { framesOf, imageSide } from './image-pixels.ts'

export interface ImageModel {
  /** How likely an encoded image is sexual, from 0 to 1. */
  score(image: Uint8Array, signal: AbortSignal): Promise<number>
}

const weights = (name: string): URL => new URL(`../../../../weights/moderation/${name}`, import.meta.url)
/** Drawing, drawn pornography, neutral, pornography, sexy: how much each says that an image is sexual. */
const sexualShares = [0, 1, 0, 1, 0.45]

export async function loadImageModel(): Promise<ImageModel> {
  const [graph, bytes] = await Promise.all([readFile(weights('image.json'), 'utf8'), readFile(weights('image.bin'))])
  const network = await ImageNetwork.load(readLayers(JSON.parse(graph) as ImageGraph, bytes))
  return {
    async score(image, signal) {
      /** Between two layers, that nobody waits any more can be heard. */
      const between = async (): Promise<void> => {
        await nextTurn()
        signal.throwIfAborted()
      }
      let highest = 0
      for await (const pixels of framesOf(image)) {
        const logits = await network.run(imageSide, asInput(pixels), between)
        const score = softmax(logits).reduce((sum, kind, at) => sum + kind * (sexualShares[at] ?? 0), 0)
        highest = Math.max(highest, Math.min(1, score))
      }
      return highest
    },
  }
}

/** The network was trained on values from -1 to 1. */
const asInput = (pixels: Float32Array): Float32Array => pixels.map((value) => value * 2 - 1)

function softmax(logits: Float32Array): number[] {
  const most = Math.max(...logits)
  const powers = Array.from(logits, (logit) => Math.exp(logit - most))
  const total = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / total)
}

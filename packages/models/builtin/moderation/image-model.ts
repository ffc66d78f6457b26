// The image model: MobileNet v2 as trained for nsfwjs. It knows five kinds of images, and of our categories only
// `sexual`. It runs on the engine the sentence encoder brings.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { WorkTurns } from '../../process/work-turns.ts'
import { framesOf, imageSide } from './image-pixels.ts'

/** What we use of the engine; its own types need packages that do not come with it. */
interface Tensor {
  data(): Promise<Float32Array>
  dispose(): void
}

interface Engine {
  ready(): Promise<void>
  tensor(values: Float32Array, shape: number[]): Tensor
  io: { fromMemory(artifacts: object): object }
  loadGraphModel(source: object): Promise<{ predict(input: Tensor): Tensor }>
}

export interface ImageModel {
  /** How likely an encoded image is sexual, from 0 to 1. */
  score(image: Uint8Array, signal: AbortSignal): Promise<number>
}

const weights = (name: string): URL => new URL(`../../../../weights/moderation/${name}`, import.meta.url)
/** Drawing, drawn pornography, neutral, pornography, sexy: how much each says that an image is sexual. */
const sexualShares = [0, 1, 0, 1, 0.45]

/** As much as a page of text. */
const imageWork = 8

export async function loadImageModel(turns: WorkTurns): Promise<ImageModel> {
  const require = createRequire(import.meta.url)
  const engine: Engine = require('@energetic-ai/core')
  const [, topology, weightData] = await Promise.all([
    engine.ready(),
    readFile(weights('image.json'), 'utf8'),
    readFile(weights('image.bin')),
  ])
  const artifacts = { ...JSON.parse(topology), weightData: new Uint8Array(weightData).buffer }
  const model = await engine.loadGraphModel(engine.io.fromMemory(artifacts))
  return {
    async score(image, signal) {
      let highest = 0
      const work = turns.next()
      // Decoding goes on in other threads while others have their turns.
      for await (const pixels of framesOf(image)) {
        const kinds = await turns.slice(work, imageWork, async () => {
          signal.throwIfAborted()
          const input = engine.tensor(pixels, [1, imageSide, imageSide, 3])
          const output = model.predict(input)
          const numbers = await output.data()
          for (const tensor of [input, output]) tensor.dispose()
          return numbers
        })
        const score = sexualShares.reduce((sum, share, kind) => sum + share * (kinds[kind] ?? 0), 0)
        highest = Math.max(highest, Math.min(1, score))
      }
      return highest
    },
  }
}

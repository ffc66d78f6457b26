import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { byOnnx, byOurLoops, loadSentenceModel } from './sentence-model.ts'
import { readWeights } from './sentence-weights.ts'
import { WordPieces } from './word-pieces.ts'

it('says what its makers’ own engine says, but for rounding', async () => {
  const { vocabulary, run } = await loadSentenceModel()
  const words = new WordPieces(vocabulary)
  // The first numbers TensorFlow.js gave.
  const cases: [string, number[]][] = [
    ['Your aunt.', [-0.0507, 0.0536, 0.0159, 0.0554, -0.0188, 0.0522, 0.0579, 0.0582]],
    [
      'I will hurt you tomorrow, and nobody will ever know about it, you fool.',
      [-0.038, 0.0031, 0.0426, -0.0416, 0.0115, -0.0094, 0.0609, 0.0738],
    ],
  ]
  for (const [text, expected] of cases) {
    const vector = await run(words.encode(text))
    expect(vector).toHaveLength(512)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    for (const [at, number] of expected.entries()) expect(Math.abs((vector[at] ?? 0) - number)).toBeLessThan(0.006)
  }
})

const weightsFile = new URL('../../../../../weights/moderation/sentences.bin', import.meta.url)
const lengths = [1, 2, 7, 8, 9, 127, 128]
const windowOf = (length: number) => Array.from({ length }, (_, at) => 10 + 7 * at)

it('says the same in the engine and in our own loops, but for rounding, at every length', async () => {
  const weights = readWeights(await readFile(weightsFile), 8_000)
  const [engine, loops] = [await byOnnx(weights), await byOurLoops(weights)]
  for (const length of lengths) {
    const [one, other] = [await engine(windowOf(length)), await loops(windowOf(length))]
    const cosine = one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0)
    expect(cosine).toBeGreaterThan(0.999)
    expect(cosine).toBeLessThan(1.000_01)
  }
})

for (const way of [byOnnx, byOurLoops]) {
  it(`says the same of a text whatever it has read before (${way.name})`, async () => {
    const run = await way(readWeights(await readFile(weightsFile), 8_000))
    const first: Float32Array[] = []
    for (const length of lengths) first.push(await run(windowOf(length)))
    const again: Float32Array[] = []
    for (const length of lengths.toReversed()) again.push(await run(windowOf(length)))
    expect(again.toReversed()).toEqual(first)
  })
}

it('refuses a file that was cut off or is something else', () => {
  expect(() => readWeights(new Uint8Array(1_000), 8_000)).toThrow('damaged')
  expect(() => readWeights(new Uint8Array(8_000_000), 8_000)).toThrow('damaged')
})

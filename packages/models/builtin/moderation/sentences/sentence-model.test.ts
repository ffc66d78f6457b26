import { expect, it } from 'vitest'
import { loadSentenceModel, readNetwork } from './sentence-model.ts'
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
    const vector = run(words.encode(text))
    expect(vector).toHaveLength(512)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    for (const [at, number] of expected.entries()) expect(Math.abs((vector[at] ?? 0) - number)).toBeLessThan(0.006)
  }
})

it('says the same of a text whatever it has read before, at every length', async () => {
  const { run } = await loadSentenceModel()
  const pieces = Array.from({ length: 128 }, (_, at) => 10 + 7 * at)
  const lengths = [1, 2, 7, 8, 9, 127, 128]
  const first = lengths.map((length) => run(pieces.slice(0, length)))
  const again = lengths.toReversed().map((length) => run(pieces.slice(0, length)))
  expect(again.toReversed()).toEqual(first)
})

it('refuses a file that was cut off or is something else', () => {
  expect(() => readNetwork(new Uint8Array(1_000), 8_000)).toThrow('damaged')
  expect(() => readNetwork(new Uint8Array(8_000_000), 8_000)).toThrow('damaged')
})

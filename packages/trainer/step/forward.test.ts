import { tensorTypes } from '@atoll/models/gguf/types'
import type { RandomModel } from '@atoll/models/testing/random-gguf'
import { expect, it } from 'vitest'
import { randomUniform } from '../model/random.ts'
import { bindingScores } from '../testing/binding-scores.ts'
import { anyRow, passOf, smallModel } from '../testing/small-model.ts'

/** Between ours and llama.cpp's (which keeps keys and values in two bytes), for the last of 40 tokens, in deviations of the scores themselves. */
async function difference(options: RandomModel): Promise<number> {
  const small = await smallModel(options)
  const { vocabulary } = small.model.shape
  const row = anyRow(vocabulary, [40])
  const ours = passOf(small).scores(row, 39)
  const theirs = await bindingScores(small.file, row.tokens, { vocabulary })
  const mean = theirs.reduce((sum, score) => sum + score, 0) / vocabulary
  const deviation = Math.sqrt(theirs.reduce((sum, score) => sum + (score - mean) ** 2, 0) / vocabulary)
  return Math.max(...ours.map((score, index) => Math.abs(score - theirs[index]!))) / deviation
}

it('gives the scores that llama.cpp gives, for models of the llama family', async () => {
  expect(await difference({ family: 'llama' })).toBeLessThan(2e-3)
})

it('gives the scores that llama.cpp gives, for models of the qwen2 family', async () => {
  expect(await difference({ family: 'qwen2' })).toBeLessThan(2e-3)
})

/** Any bytes are numbers, but for the scales: those are made small and no infinities. */
function anyBlocks(kind: number, halves: readonly number[], seed: number) {
  const { blockItems, blockBytes } = tensorTypes[kind]!
  const next = randomUniform(seed)
  const scale = [0x00, 0x20] // 2^-7
  return (inputs: number, outputs: number): Uint8Array => {
    const bytes = Uint8Array.from({ length: ((inputs * outputs) / blockItems) * blockBytes }, () => next() * 256)
    for (let block = 0; block < bytes.length; block += blockBytes) {
      for (const at of halves) bytes.set(at === 208 || blockBytes > 100 ? [0x00, 0x08] : scale, block + at)
    }
    return bytes
  }
}

// llama.cpp rounds what goes into such a matrix to eight bits; numbers read wrongly would be further off by far.
it.each([
  ['F16', 1, undefined],
  ['BF16', 30, undefined],
  ['Q4_0', 2, [0]],
  ['Q4_1', 3, [0, 2]],
  ['Q5_0', 6, [0]],
  ['Q5_1', 7, [0, 2]],
  ['Q8_0', 8, [0]],
  ['Q4_K', 12, [0, 2]],
  ['Q5_K', 13, [0, 2]],
  ['Q6_K', 14, [208]],
] as const)('reads matrices written as %s', async (_, kind, halves) => {
  const next = randomUniform(kind)
  const two = (inputs: number, outputs: number): Uint8Array => {
    const bytes = new Uint8Array(2 * inputs * outputs)
    // Around 0.03, of either sign.
    for (let at = 0; at < bytes.length; at += 2) {
      const top = kind === 1 ? 0x28 : 0x3d
      bytes.set([next() * 256, top | (next() < 0.5 ? 0x80 : 0)], at)
    }
    return bytes
  }
  const bytes = halves === undefined ? two : anyBlocks(kind, halves, kind)
  expect(await difference({ width: 256, hidden: 512, layers: 1, written: { kind, bytes } })).toBeLessThan(0.2)
})

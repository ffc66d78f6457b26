import { expect, it } from 'vitest'
import { termFeatures } from './text-features.ts'
import { decodeHeads, encodeHeads, type HeadWeights, logit, textHeads, weightCount } from './text-heads.ts'

const someHeads = () =>
  Object.fromEntries(
    textHeads.map((head, index) => [head, Float64Array.from({ length: weightCount }, (_, at) => Math.sin(at + index))]),
  ) as Record<(typeof textHeads)[number], HeadWeights>

it('keeps weights as they were, but for rounding', () => {
  const heads = someHeads()
  const read = decodeHeads(encodeHeads(heads))
  const features = { vector: new Float32Array(512).fill(0.04), terms: termFeatures('the quick brown fox') }
  for (const head of textHeads) expect(logit(read[head], features)).toBeCloseTo(logit(heads[head], features), 3)
})

it('refuses a file that was cut off or is something else', () => {
  const file = encodeHeads(someHeads())
  expect(() => decodeHeads(file.subarray(0, -1))).toThrow('damaged')
  expect(() => decodeHeads(Buffer.alloc(file.length))).toThrow('damaged')
})

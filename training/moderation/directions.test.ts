import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddingSize, type SentenceEncoder } from '@atoll/models/builtin/moderation/sentence-encoder'
import { logit } from '@atoll/models/builtin/moderation/text-heads'
import { expect, it } from 'vitest'
import { along, findDirections, usualDistance } from './directions.ts'
import { postsWithHate, postsWithSexism } from './foreign-texts.ts'
import { type Example, trainHead } from './logistic.ts'

/** A text is a number: how far along the first axis. */
const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(embeddingSize)
  const angle = Number(text)
  vector[0] = Math.sin(angle)
  vector[1] = Math.cos(angle)
  return vector
}
const encoder: SentenceEncoder = { encode: async (texts) => texts.map(vectorOf) }
const foreign = [-0.9, -0.5, -0.2, 0.3, 0.6, 0.8].map((angle) => ({
  text: String(angle),
  labels: { far: angle > 0 ? (1 as const) : (0 as const) },
}))
const usual = [-0.4, -0.1, 0, 0.2, 0.7].map((angle) => vectorOf(String(angle)))

it('finds the direction in which texts differ, and says 0 in the mean', async () => {
  const [direction, ...others] = await findDirections(foreign, usual, encoder)
  expect(others).toEqual([])
  if (direction === undefined) throw new Error('there is none')
  expect(along(direction, vectorOf('0.8'))).toBeGreaterThan(along(direction, vectorOf('-0.8')) + usualDistance)
  const said = usual.map((vector) => along(direction, vector))
  const mean = said.reduce((sum, value) => sum + value, 0) / said.length
  expect(mean).toBeCloseTo(0)
  expect(Math.sqrt(said.reduce((sum, value) => sum + value ** 2, 0) / said.length)).toBeCloseTo(usualDistance)
})

it('trains heads that use a direction without being told of it when they judge', async () => {
  const examples = [-0.3, -0.1, 0.1, 0.3].map((angle): Example => {
    const terms = { buckets: [], weight: 0 }
    return { vector: vectorOf(String(angle)), terms, label: angle > 0 ? 1 : 0, weight: 1 }
  })
  const [plain, led] = [trainHead(examples, []), trainHead(examples, await findDirections(foreign, usual, encoder))]
  expect(led).toHaveLength(plain.length)
  const between = (weights: Float64Array): number => {
    const [low, high] = ['-0.8', '0.8'].map((text) =>
      logit(weights, { vector: vectorOf(text), terms: { buckets: [], weight: 0 } }),
    )
    return (high as number) - (low as number)
  }
  expect(between(led)).toBeGreaterThan(between(plain) * 1.02)
})

it('reads what others labelled, without the marks of their sites', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-foreign-'))
  try {
    const [hate, sexism] = [join(folder, 'hate.csv'), join(folder, 'sexism.csv')]
    const posts = [',class,tweet', '0,0,"!! RT @one: hateful &amp; so"', '1,1,@two rude http://x.yz', '2,2,plain']
    writeFileSync(hate, `${posts.join('\n')}\n`)
    expect(postsWithHate(hate)).toEqual([
      { text: 'hateful & so', labels: { hateful: 1 } },
      { text: 'rude', labels: { hateful: 0, coarse: 1 } },
      { text: 'plain', labels: { hateful: 0, coarse: 0 } },
    ])
    writeFileSync(sexism, 'text,label_sexist,label_category\n"a, [USER]",sexist,2. derogation\nb,not sexist,none\n')
    expect(postsWithSexism(sexism)).toEqual([
      { text: 'a,', labels: { sexist: 1, threatening: 0, contemptuous: 1 } },
      { text: 'b', labels: { sexist: 0, threatening: 0, contemptuous: 0 } },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

import { expect, it } from 'vitest'
import { choose } from './hyperparameters.ts'

const open = { epochs: 'auto', batchSize: 'auto', rateMultiplier: 'auto' } as const

it('few examples are read more often, and narrow models taught faster', () => {
  expect(choose(open, { examples: 10, width: 512 })).toEqual({ epochs: 12, batchSize: 1, rateMultiplier: 3 })
  expect(choose(open, { examples: 150, width: 512 })).toEqual({ epochs: 7, batchSize: 4, rateMultiplier: 3 })
  expect(choose(open, { examples: 5_000, width: 4_096 })).toEqual({ epochs: 3, batchSize: 16, rateMultiplier: 1 })
})

it('what was asked for is taken as it is', () => {
  const asked = { epochs: 1, batchSize: 7, rateMultiplier: 0.5 }
  expect(choose(asked, { examples: 10, width: 512 })).toEqual(asked)
})

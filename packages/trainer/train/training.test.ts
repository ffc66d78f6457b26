import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { writeAdapter } from '../adapter-file.ts'
import type { AdapterLayout } from '../model/adapter.ts'
import { matrixNames } from '../model/base-model.ts'
import { bindingScores } from '../testing/binding-scores.ts'
import { anyRow, passOf, type SmallModel, smallModel, tile } from '../testing/small-model.ts'
import type { Example } from './example.ts'
import { type StepMeasures, type TrainingOptions, train } from './training.ts'

/** Events until it is interrupted: within an epoch, before its end is told, after it; each costs two trainings. */
const interruptions = process.env.ATOLL_TEST_LONG === '1' ? [1, 3, 4, 5, 8, 12] : [3, 4, 5]

function examplesOf({ model }: SmallModel, count: number): Example[] {
  return Array.from({ length: count }, (_, index) => {
    const { tokens, weights } = anyRow(model.shape.vocabulary, [6 + index], index + 1)
    return { tokens: [...tokens], weights: [...weights] }
  })
}

async function optionsOf(small: SmallModel, more: Partial<TrainingOptions> = {}): Promise<TrainingOptions> {
  return {
    model: small.model,
    modelIdentity: 'small',
    examples: examplesOf(small, 10),
    validation: [],
    reminders: [],
    epochs: 3,
    batchSize: 4,
    rate: 0.02,
    rank: 4,
    alpha: 8,
    names: matrixNames,
    depth: 1,
    seed: 7,
    threads: 2,
    tile,
    nativeFrom: 50_000,
    rowLength: 64,
    recomputes: false,
    folder: await tempDir(),
    recordMs: 0,
    ...more,
  }
}

interface Outcome {
  began: { doneSteps: StepMeasures[]; steps: number }
  measures: StepMeasures[]
  adapter: AdapterLayout | undefined
  parameters: Float32Array[]
}

/** Stops after so many events, as if it were killed. */
async function outcomeOf(options: TrainingOptions, events = Infinity): Promise<Outcome> {
  const began = { doneSteps: [], steps: 0 }
  const outcome: Outcome = { began, measures: [], adapter: undefined, parameters: [] }
  for await (const event of train(options)) {
    if (event.kind === 'began') outcome.began = { doneSteps: [...event.doneSteps], steps: event.steps }
    if (event.kind === 'step') outcome.measures.push(event.measures)
    if (event.kind === 'epoch') {
      outcome.adapter = event.adapter
      outcome.parameters.push(event.parameters)
    }
    if (--events <= 0) break
  }
  return outcome
}

it('learns what it is shown, and tells how well at every step', async () => {
  const small = await smallModel()
  const { began, measures } = await outcomeOf(await optionsOf(small, { epochs: 30 }))
  expect(began.steps).toBe(90)
  expect(measures.map(({ step }) => step)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1))
  expect(measures[0]!.train.loss).toBeGreaterThan(4)
  expect(measures.at(-1)!.train.loss).toBeLessThan(0.5)
  expect(measures.at(-1)!.train.accuracy).toBeGreaterThan(0.9)
})

/** Others than those that are learnt. */
const remindersFor = ({ model }: SmallModel): Example[] =>
  Array.from({ length: 6 }, (_, index) => {
    const { tokens } = anyRow(model.shape.vocabulary, [12 + index], 100 + index)
    return { tokens: [...tokens], weights: [...tokens].map(() => 1) }
  })

it('stays nearer to what it was where it is reminded of it, and learns all the same', async () => {
  const small = await smallModel()
  const reminders = remindersFor(small)
  const pass = passOf(small)
  const differenceAfter = ({ parameters }: Outcome): number => {
    pass.parameters.set(parameters.at(-1)!)
    const rows = reminders.map(({ tokens, weights }) => ({
      ...{ tokens: Int32Array.from(tokens), weights: Float32Array.from(weights) },
      segments: [{ start: 0, end: tokens.length }],
    }))
    return rows.reduce((sum, row) => sum + pass.difference(row), 0)
  }
  const alone = await outcomeOf(await optionsOf(small, { epochs: 30 }))
  const reminded = await outcomeOf(await optionsOf(small, { epochs: 30, reminders }))
  expect(differenceAfter(reminded)).toBeLessThan(differenceAfter(alone) / 4)
  expect(reminded.measures.at(-1)!.train.loss).toBeLessThan(0.5)
})

it('ends with the same numbers wherever it was interrupted', async () => {
  const small = await smallModel()
  const whole = await outcomeOf(await optionsOf(small))
  expect(whole.parameters).toHaveLength(3)
  for (const events of interruptions) {
    const folder = await tempDir()
    await outcomeOf(await optionsOf(small, { folder }), events)
    const rest = await outcomeOf(await optionsOf(small, { folder }))
    expect(rest.parameters.at(-1)).toEqual(whole.parameters.at(-1))
    expect([...rest.began.doneSteps, ...rest.measures]).toEqual(whole.measures)
  }
})

it('begins anew when its record is damaged, or belongs to another training', async () => {
  const small = await smallModel()
  const folder = await tempDir()
  await outcomeOf(await optionsOf(small, { folder }), 4)
  const other = await outcomeOf(await optionsOf(small, { folder, seed: 8 }), 1)
  expect(other.began.doneSteps).toEqual([])
  expect((await outcomeOf(await optionsOf(small, { folder }), 1)).began.doneSteps).toHaveLength(3)
  const { truncateSync } = await import('node:fs')
  truncateSync(join(folder, 'step.record'), 5_000)
  expect((await outcomeOf(await optionsOf(small, { folder }), 1)).began.doneSteps).toEqual([])
})

it('measures validation examples without learning them', async () => {
  const small = await smallModel()
  const validation = examplesOf(small, 3)
  const { measures } = await outcomeOf(await optionsOf(small, { validation, epochs: 2 }))
  const ends = measures.filter(({ fullValid }) => fullValid !== undefined)
  expect(ends.map(({ step }) => step)).toEqual([3, 6])
  expect(ends[1]!.fullValid!.loss).toBeGreaterThan(0)
  const alone = await outcomeOf(await optionsOf(small, { epochs: 2 }))
  expect(measures.map(({ train }) => train)).toEqual(alone.measures.map(({ train }) => train))
})

it.each(['llama', 'qwen2'] as const)(
  'writes adapters that llama.cpp adds to a %s model as it did itself',
  async (family) => {
    const small = await smallModel({ family })
    const { vocabulary } = small.model.shape
    const { adapter: layout, parameters } = await outcomeOf(await optionsOf(small))
    const folder = join(await tempDir(), 'adapters')
    mkdirSync(folder)
    const adapter = join(folder, 'one.gguf')
    writeAdapter(adapter, layout!, parameters.at(-1)!, { architecture: family, name: 'one', baseSha256: '' })
    const pass = passOf({ ...small, adapter: layout! })
    const row = anyRow(vocabulary, [12])
    const before = pass.scores(row, 11)
    pass.parameters.set(parameters.at(-1)!)
    const ours = pass.scores(row, 11)
    const theirs = await bindingScores(small.file, row.tokens, { vocabulary, adapter })
    const largest = (list: ArrayLike<number>): number =>
      Math.max(...Array.from(ours, (score, at) => Math.abs(score - list[at]!)))
    expect(largest(theirs)).toBeLessThan(0.01)
    expect(largest(before)).toBeGreaterThan(0.5)
  },
)

// A whole training: epochs of steps, measured as they go, written down so that it can be killed at any instant.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type AdapterForm, type AdapterLayout, adapterLayout, freshAdapter } from '../model/adapter.ts'
import type { BaseModel } from '../model/base-model.ts'
import type { RowResult } from '../step/row.ts'
import type { Tile } from '../wasm/tile.ts'
import { epochBatches, shareOut, stepReminders, weightOf } from './batches.ts'
import type { Example } from './example.ts'
import { freshState, type OptimiserState, rateAt, update } from './optimiser.ts'
import { readRecord, writeRecord } from './record.ts'
import { Threads } from './threads.ts'

export interface TrainingOptions extends AdapterForm {
  model: BaseModel
  /** Names the model's file and its content. */
  modelIdentity: string
  examples: readonly Example[]
  validation: readonly Example[]
  /** Conversations in which the model is held to what it foresees without the adapter, so that it forgets less. */
  reminders: readonly Example[]
  epochs: number
  batchSize: number
  /** The highest rate of the optimiser. */
  rate: number
  seed: number
  threads: number
  tile: Tile
  nativeFrom: number
  rowLength: number
  recomputes: boolean
  /** Where records are kept. */
  folder: string
  /** How often it writes down where it is. */
  recordMs: number
  /** Of `Pause`. Absent: it never stands still. */
  pause?: Int32Array
}

export interface Measure {
  loss: number
  accuracy: number
}

export interface StepMeasures {
  step: number
  train: Measure
  /** Of some validation examples, at some steps. */
  valid?: Measure
  /** Of all validation examples, at the end of an epoch. */
  fullValid?: Measure
}

export type TrainingEvent =
  /** Begun, or taken up again after some steps. */
  | { kind: 'began'; steps: number; stepsPerEpoch: number; doneSteps: StepMeasures[]; trainedTokens: number }
  | { kind: 'step'; measures: StepMeasures; trainedTokens: number }
  /** The adapter as it is now must be kept before the next event is asked for. */
  | { kind: 'epoch'; epoch: number; step: number; adapter: AdapterLayout; parameters: Float32Array }

interface Progress {
  measures: StepMeasures[]
  trainedTokens: number
}

const recordName = 'step.record'
/** How many times the validation examples are looked at in a training, besides the ends of epochs. */
const validations = 10

export async function* train(options: TrainingOptions): AsyncGenerator<TrainingEvent> {
  const { model, examples, epochs, batchSize, seed } = options
  const adapter = adapterLayout(model.shape, options)
  const stepsPerEpoch = Math.ceil(examples.length / batchSize)
  const steps = stepsPerEpoch * epochs
  const identity = identityOf(options)
  const file = join(options.folder, recordName)
  const record = await readRecord<Progress>(file, identity)
  const state = sharedState(record?.state ?? freshState(freshAdapter(adapter, seed)))
  const progress: Progress = record?.progress ?? { measures: [], trainedTokens: 0 }
  let step = record?.step ?? 0
  const { tile, nativeFrom, rowLength, recomputes } = options
  const threads = await Threads.start(
    options.threads,
    { model, adapter, tile, nativeFrom, rowLength, recomputes },
    { parameters: state.parameters, pause: options.pause },
  )
  const gradients = new Float32Array(adapter.numbers)
  try {
    const { measures: doneSteps, trainedTokens } = progress
    yield { kind: 'began', steps, stepsPerEpoch, doneSteps: [...doneSteps], trainedTokens }
    // Killed between the record and the keeping of the adapter: it is told again.
    if (step > 0 && step % stepsPerEpoch === 0) yield epochEvent(step / stepsPerEpoch, step, adapter, state)
    let recordedAt = performance.now()
    while (step < steps) {
      const epoch = Math.floor(step / stepsPerEpoch)
      const batch = epochBatches(examples.length, batchSize, seed, epoch)[step % stepsPerEpoch] ?? []
      const chosen = batch.map((index) => examples[index]!)
      step++
      const reminders = stepReminders(options.reminders, step, { examples: examples.length, batchSize, seed })
      const scales = { scale: 1 / Math.max(weightOf(chosen), 1e-6), reminderScale: 1 / foreseenIn(reminders) }
      const result = await threads.learn(shareOut(chosen, reminders, options), scales, gradients)
      update(state, gradients, step, rateAt(step, steps, options.rate))
      const isEpochEnd = step % stepsPerEpoch === 0
      const measures: StepMeasures = { step, train: measureOf(result) }
      Object.assign(measures, await validate(options, threads, { step, steps, isEpochEnd }))
      progress.measures.push(measures)
      progress.trainedTokens += chosen.reduce((sum, { tokens }) => sum + tokens.length, 0)
      if (isEpochEnd || performance.now() - recordedAt > options.recordMs) {
        await writeRecord(file, { identity, step, progress, state })
        recordedAt = performance.now()
      }
      yield { kind: 'step', measures, trainedTokens: progress.trainedTokens }
      if (isEpochEnd) yield epochEvent(step / stepsPerEpoch, step, adapter, state)
    }
  } finally {
    await threads.close()
  }
}

const epochEvent = (epoch: number, step: number, adapter: AdapterLayout, state: OptimiserState): TrainingEvent => ({
  kind: 'epoch',
  epoch,
  step,
  adapter,
  parameters: Float32Array.from(state.parameters),
})

const measureOf = ({ loss, weight, correct, counted }: RowResult): Measure => ({
  loss: weight === 0 ? 0 : loss / weight,
  accuracy: counted === 0 ? 0 : correct / counted,
})

async function validate(
  options: TrainingOptions,
  threads: Threads,
  { step, steps, isEpochEnd }: { step: number; steps: number; isEpochEnd: boolean },
): Promise<Pick<StepMeasures, 'valid' | 'fullValid'>> {
  const { validation, batchSize } = options
  if (validation.length === 0) return {}
  const every = Math.max(1, Math.round(steps / validations))
  const measure = async (examples: readonly Example[]): Promise<Measure> =>
    measureOf(await threads.evaluate(shareOut(examples, [], options)))
  const some = Array.from({ length: Math.min(batchSize, validation.length) }, (_, index) => {
    return validation[(step * batchSize + index) % validation.length]!
  })
  return {
    ...((isEpochEnd || step % every === 0) && { valid: await measure(some) }),
    ...(isEpochEnd && { fullValid: await measure(validation) }),
  }
}

/** Tokens that are foreseen in them. */
const foreseenIn = (reminders: readonly Example[]): number =>
  Math.max(
    1,
    reminders.reduce((sum, { tokens }) => sum + tokens.length - 1, 0),
  )

/** All that the outcome depends on: a record of anything else is of no use. */
function identityOf(options: TrainingOptions): string {
  const { modelIdentity, epochs, batchSize, rate, rank, alpha, names, depth, seed, threads, rowLength, recomputes } =
    options
  const arithmetic = [options.tile.fused, options.nativeFrom]
  const hash = createHash('sha256')
  const plain = {
    modelIdentity,
    epochs,
    batchSize,
    rate,
    rank,
    alpha,
    names,
    depth,
    seed,
    threads,
    arithmetic,
    rowLength,
    recomputes,
  }
  hash.update(JSON.stringify(plain))
  for (const { tokens, weights } of [...options.examples, ...options.validation, ...options.reminders]) {
    hash.update(JSON.stringify([tokens, weights]))
  }
  return hash.digest('hex')
}

/** Parameters that threads read while they are here. */
function sharedState({ parameters, means, squares }: OptimiserState): OptimiserState {
  const shared = new Float32Array(new SharedArrayBuffer(parameters.byteLength))
  shared.set(parameters)
  return { parameters: shared, means, squares }
}

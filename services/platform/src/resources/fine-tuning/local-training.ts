// A training on this machine: its process, what it tells, and what is kept of it.
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ModerationModel } from '@atoll/models/moderate'
import type { StepMeasures } from '@atoll/trainer/train/training'
import type { Reminders, TuningEvent, TuningRequest } from '@atoll/trainer/tuning/protocol'
import { tune } from '@atoll/trainer/tuning/tune'
import type { Files } from '../files/service.ts'
import type { AdapterFiles } from './adapter-files.ts'
import { BaseDigests } from './base-digests.ts'
import { pauseWhileBusy } from './busy-pauses.ts'
import { JobFailure } from './job-failure.ts'
import { copyExamples, type ExampleFiles } from './job-files.ts'
import { type Claim, checkpointName, type JobLedger, modelName } from './ledger.ts'
import { moderateExamples } from './moderate-examples.ts'
import { metricsOf, resultsTable } from './results-file.ts'
import type { Hyperparameters } from './schema.ts'
import type { FineTuningJobRow } from './store.ts'

/** Models of the last epochs, each of which can be used. */
const keptCheckpoints = 3
const maxResultsBytes = 64 * 1024 * 1024
const shownLines = 50

export interface LocalTrainingParts {
  blobs: BlobStore
  clock: Clock
  log: Log
  files: Files
  adapters: AdapterFiles
  ledger: JobLedger
  /** The GGUF file behind a model's id. Undefined: it is none. */
  fileOf(model: string): Promise<string | undefined>
  /** Undefined: nothing moderates here. */
  moderation(): Promise<ModerationModel | undefined>
  /** Whether a model of this machine is answering somebody. */
  isBusy(): boolean
  settings: { cores?: number | undefined; niceness: number; memoryMb?: number | undefined; reminders: boolean }
}

interface Epoch {
  epoch: number
  step: number
  file: string
}

/** What an attempt has seen so far. */
interface Seen {
  steps: number
  measures: StepMeasures[]
  trainedTokens: number
  epochs: Epoch[]
  startedAt: number
  stepsAtStart: number
  /** The last step that events have told of, in this attempt or an earlier one. */
  toldSteps: number
  baseSha256: string | undefined
}

export class LocalTraining {
  readonly #parts: LocalTrainingParts
  readonly #claim: Claim
  readonly #row: FineTuningJobRow
  readonly #seen: Seen = {
    ...{ steps: 0, measures: [], trainedTokens: 0, epochs: [] },
    ...{ startedAt: performance.now(), stepsAtStart: 0, toldSteps: 0, baseSha256: undefined },
  }

  constructor(parts: LocalTrainingParts, claim: Claim, row: FineTuningJobRow) {
    this.#parts = parts
    this.#claim = claim
    this.#row = row
  }

  /** Goes on from what an earlier attempt left in the folder. Throws a JobFailure when there is no use in another. */
  async run(folder: string): Promise<void> {
    const { log, files, isBusy } = this.#parts
    const { signal } = this.#claim
    const base = await this.#base()
    const examples = await copyExamples(files, this.#row, folder, signal)
    const onLog = (line: string): void => log.warn({ job: this.#row.id }, line)
    const pauses = (tell: (isPaused: boolean) => void): (() => void) => pauseWhileBusy(isBusy, tell)
    for await (const event of tune(this.#request(base, examples, folder), { signal, onLog, pauses })) {
      if (event.kind === 'failed') throw new JobFailure('training_failed', event.message)
      if (event.kind === 'invalid') throw invalidFile(event)
      await this.#note(event, examples)
    }
    await this.#succeed(base)
  }

  async #base(): Promise<string> {
    const { model } = this.#row
    const base = await this.#parts.fileOf(model)
    if (base !== undefined) return base
    throw new JobFailure('model_not_available', `The model ${model} is not one in a GGUF file any more.`, 'model')
  }

  #request(base: string, { training, validation }: ExampleFiles, folder: string): TuningRequest {
    const { cores = availableParallelism(), niceness, memoryMb, reminders } = this.#parts.settings
    const { hyperparameters, seed, id } = this.#row
    const { n_epochs, batch_size, learning_rate_multiplier } = JSON.parse(hyperparameters) as Hyperparameters
    return {
      ...{ base, training, validation, folder, seed, niceness, reminds: reminders, name: id },
      ...{ epochs: n_epochs, batchSize: batch_size, rateMultiplier: learning_rate_multiplier },
      threads: Math.max(1, Math.min(cores, availableParallelism())),
      ...(memoryMb !== undefined && { memoryBytes: memoryMb * 1_000_000 }),
    }
  }

  async #note(event: TuningEvent, examples: ExampleFiles): Promise<void> {
    const seen = this.#seen
    switch (event.kind) {
      case 'validated':
        return this.#validated(event, examples)
      case 'loaded':
        seen.baseSha256 = event.baseSha256
        return
      case 'began': {
        const { steps, doneSteps, trainedTokens } = event
        Object.assign(seen, { steps, trainedTokens, measures: [...doneSteps], stepsAtStart: doneSteps.length })
        seen.startedAt = performance.now()
        seen.toldSteps = (await this.#parts.ledger.find(this.#row.id))?.told_steps ?? 0
        return this.#tellSteps(doneSteps.slice(seen.toldSteps))
      }
      case 'step':
        seen.measures.push(event.measures)
        seen.trainedTokens = event.trainedTokens
        return this.#tellSteps([event.measures])
      case 'epoch':
        seen.epochs = [...seen.epochs.filter(({ epoch }) => epoch !== event.epoch), event]
    }
  }

  async #validated(
    { cut, maxTokens, chosen, reminders }: Extract<TuningEvent, { kind: 'validated' }>,
    { training, validation }: ExampleFiles,
  ): Promise<void> {
    const { ledger } = this.#parts
    const isFirst = (await ledger.find(this.#row.id))?.status === 'validating_files'
    if (isFirst) {
      await this.#moderate(training, 'training')
      if (validation !== undefined) await this.#moderate(validation, 'validation')
    }
    const hyperparameters = JSON.stringify({
      n_epochs: chosen.epochs,
      batch_size: chosen.batchSize,
      learning_rate_multiplier: chosen.rateMultiplier,
    })
    const warnings = [
      ...(cut > 0 ? [longExamples(cut, maxTokens)] : []),
      ...(reminders && reminders.usable < reminders.all ? [fewerReminders(reminders)] : []),
    ]
    const events = [
      { message: 'Files validated' },
      ...warnings.map((message) => ({ message, level: 'warn' as const })),
      { message: 'Fine-tuning job started' },
    ]
    await ledger.change(this.#claim, this.#row, { status: 'running', hyperparameters }, isFirst ? events : [])
  }

  async #moderate(file: string, kind: 'training' | 'validation'): Promise<void> {
    const model = await this.#parts.moderation()
    if (model === undefined) return
    const call = { signal: this.#claim.signal, turn: this.#row.project_id, background: true }
    await moderateExamples(file, kind, model, call)
  }

  async #tellSteps(steps: readonly StepMeasures[]): Promise<void> {
    const seen = this.#seen
    const last = steps.at(-1)
    if (last === undefined) return
    // Those after the last record are done again, to the same end.
    const news = steps.filter(({ step }) => step > seen.toldSteps)
    const events = news.map((measures) => {
      const metrics = metricsOf(measures)
      const message = `Step ${measures.step}/${seen.steps}: training loss=${metrics.train_loss.toFixed(2)}`
      const sofar = measures === last ? { trained_tokens: seen.trainedTokens } : {}
      return { message, data: { ...metrics, total_steps: seen.steps, ...sofar } }
    })
    seen.toldSteps = Math.max(seen.toldSteps, last.step)
    const change = { told_steps: seen.toldSteps, ...this.#estimate(last.step) }
    await this.#parts.ledger.change(this.#claim, this.#row, change, events)
  }

  /** Nothing before a step of this attempt was timed. */
  #estimate(step: number): Partial<FineTuningJobRow> {
    const { steps, startedAt, stepsAtStart } = this.#seen
    if (step === stepsAtStart) return {}
    const msPerStep = (performance.now() - startedAt) / (step - stepsAtStart)
    return { estimated_finish: unixSeconds(this.#parts.clock) + Math.ceil(((steps - step) * msPerStep) / 1000) }
  }

  async #succeed(base: string): Promise<void> {
    const { adapters, blobs, ledger } = this.#parts
    const { epochs, measures, steps, trainedTokens, baseSha256 } = this.#seen
    if ((await new BaseDigests().sha256(base)) !== baseSha256) {
      const message = "The model's file was removed or changed during the training: what was learnt fits no model here."
      throw new JobFailure('model_not_available', message, 'model')
    }
    const kept = epochs.slice(-keptCheckpoints)
    const models = await Promise.all(
      kept.map(async ({ step, file }) => {
        const found = measures.find((one) => one.step === step)
        return {
          id: step === steps ? modelName(this.#row) : checkpointName(this.#row, step),
          ...{ step, metrics: found === undefined ? { step } : metricsOf(found) },
          source: { blob: await adapters.store(file), baseSha256: baseSha256 ?? null },
        }
      }),
    )
    const results = await blobs.write(Readable.from([resultsTable(measures)]), { maxBytes: maxResultsBytes })
    await ledger.succeed(this.#claim, this.#row, { models, results, trainedTokens })
  }
}

const longExamples = (cut: number, maxTokens: number): string =>
  `${cut === 1 ? 'One example has' : `${cut} examples have`} more than ${maxTokens} tokens: what is behind them was cut.`

const fewerReminders = ({ usable, all, maxTokens }: Reminders): string =>
  `This model is reminded of ${usable} of ${all} conversations: the others have more than ${maxTokens} tokens, or its template does not write them. It may forget more of what it could.`

function invalidFile({ file, message, errors }: Extract<TuningEvent, { kind: 'invalid' }>): JobFailure {
  const lines = errors.slice(0, shownLines).map(({ line, message: reason }) => `Line ${line}: ${reason}.`)
  return new JobFailure(`invalid_${file}_file`, [message, ...lines].join('\n'), `${file}_file`)
}

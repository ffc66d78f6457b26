// The program of a process that trains: reads the examples, trains, and leaves an adapter after every epoch. It steps
// back behind whatever answers callers.
import { rename } from 'node:fs/promises'
import { freemem } from 'node:os'
import { stepBackTo } from '@atoll/kernel/turns/step-back'
import { loadPromptModel } from '@atoll/models/builtin/llama/prompt-model'
import { readGgufParts } from '@atoll/models/gguf/read'
import { answerPings } from '@atoll/models/process/heartbeat'
import { writeAdapter } from '../adapter-file.ts'
import { adapterLayout, usualForm } from '../model/adapter.ts'
import { type BaseModel, loadBaseModel } from '../model/base-model.ts'
import { fileSha256 } from '../model/file-digest.ts'
import { shapeOf } from '../model/shape.ts'
import { nativeFrom } from '../native/products.ts'
import { TrainerProblem } from '../problem.ts'
import { readReminders } from '../reminders/read-reminders.ts'
import { Pass } from '../step/pass.ts'
import { Pause } from '../train/pause.ts'
import { type TrainingOptions, train } from '../train/training.ts'
import { fastestTile } from '../wasm/kernels.ts'
import { baseRate, choose } from './hyperparameters.ts'
import { epochFile, keptEpochs } from './kept-epochs.ts'
import type { TuningCommand, TuningEvent, TuningRequest } from './protocol.ts'
import { type ReadExamples, readExamples } from './read-examples.ts'

const leastExamples = 10
const recordMs = 15_000
/** Shorter examples are packed together up to here. */
const usualRowLength = 512
/** Longer rows are computed twice instead of being kept. */
const longestKeptRow = 1_024
const longestRow = 4_096

const say = (event: TuningEvent): void => void process.send?.([event], undefined, undefined, () => {})

// Its user went away: so does it. What it has done is written down.
process.on('disconnect', () => process.exit(0))
answerPings()

const pause = new Pause()
const begin = Promise.withResolvers<void>()
process.on('message', (command: TuningCommand) => {
  if (command.kind === 'begin') begin.resolve()
  if (command.kind === 'pause') pause.set(command.isPaused)
})

try {
  const request = JSON.parse(process.argv[2] ?? '') as TuningRequest
  stepBackTo(request.niceness)
  await tune(request)
} catch (error) {
  if (!(error instanceof TrainerProblem)) process.stderr.write(`${(error as Error).stack}\n`)
  say({ kind: 'failed', message: reasonOf(error) })
}

function reasonOf(error: unknown): string {
  if (error instanceof TrainerProblem) return `The model cannot be trained: ${error.message}`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return 'The disk of this server is full.'
  if (code === 'ENOENT') return "The model's file is not there any more."
  return 'The training failed; the log of the server says why.'
}

async function tune(request: TuningRequest): Promise<void> {
  const parts = await readGgufParts(request.base)
  const { contextLength, width } = shapeOf(parts)
  const maxTokens = Math.min(contextLength, longestRow)
  const model = await loadPromptModel(request.base, contextLength)
  const reading = { model, template: parts.info.chatTemplate, maxTokens }
  const training = await readExamples(request.training, reading)
  if (!isValid(training, 'training', leastExamples)) return
  const validation = request.validation && (await readExamples(request.validation, reading))
  if (validation && !(isValid(validation, 'validation', 1) && areApart(training, validation))) return
  const chosen = choose(request, { examples: training.examples.length, width })
  const examples = [...training.examples, ...(validation ? validation.examples : [])]
  const longest = examples.reduce((most, { tokens }) => Math.max(most, tokens.length), usualRowLength)
  const rowLength = Math.min(maxTokens, Math.ceil(longest / 64) * 64)
  const read = request.reminds ? await readReminders({ ...reading, maxTokens: rowLength }) : undefined
  const reminders = read ? read.reminders : []
  say({
    kind: 'validated',
    examples: training.lines,
    cut: training.cut + (validation ? validation.cut : 0),
    maxTokens,
    chosen,
    ...(read && { reminders: { usable: reminders.length, all: read.all, maxTokens: rowLength } }),
  })
  await begin.promise
  const base = await loadBaseModel(request.base)
  const baseSha256 = await fileSha256(request.base)
  say({ kind: 'loaded', baseSha256 })
  const options: TrainingOptions = {
    model: base,
    modelIdentity: baseSha256,
    examples: training.examples,
    validation: validation ? validation.examples : [],
    reminders,
    ...chosen,
    rate: baseRate * chosen.rateMultiplier,
    ...usualForm,
    seed: request.seed,
    threads: request.threads,
    tile: fastestTile(),
    nativeFrom: nativeFrom(),
    rowLength,
    recomputes: rowLength > longestKeptRow,
    folder: request.folder,
    recordMs,
    pause: pause.flag,
  }
  checkMemory(base, options, request.memoryBytes)
  for await (const event of train(options)) {
    if (event.kind !== 'epoch') say(event)
    // Those of before it was killed are there already.
    if (event.kind === 'began') {
      const { stepsPerEpoch, doneSteps } = event
      const attempt = { folder: request.folder, baseSha256, stepsPerEpoch, doneSteps: doneSteps.length }
      for (const kept of await keptEpochs(attempt)) say({ kind: 'epoch', ...kept })
    }
    if (event.kind !== 'epoch') continue
    const file = epochFile(request.folder, event.epoch)
    const { architecture } = parts.info
    writeAdapter(`${file}.new`, event.adapter, event.parameters, { architecture, name: request.name, baseSha256 })
    await rename(`${file}.new`, file)
    say({ kind: 'epoch', epoch: event.epoch, step: event.step, file })
  }
  say({ kind: 'done' })
}

function isValid(read: ReadExamples, file: 'training' | 'validation', least: number): boolean {
  const { errors, errorCount, lines } = read
  if (errorCount > 0) {
    const words = errorCount === 1 ? 'one line' : `${errorCount} lines`
    say({ kind: 'invalid', file, message: `The ${file} file has ${words} that cannot be learnt from.`, errors })
    return false
  }
  if (lines >= least) return true
  const message = `The ${file} file has ${lines} examples; at least ${least} are needed.`
  say({ kind: 'invalid', file, message, errors: [] })
  return false
}

function areApart(training: ReadExamples, validation: ReadExamples): boolean {
  const errors = [...validation.digests].flatMap(([digest, line]) => {
    const same = training.digests.get(digest)
    return same === undefined ? [] : [{ line, message: `it is the same example as line ${same} of the training file` }]
  })
  if (errors.length === 0) return true
  const message = 'The training and the validation file have examples in common.'
  say({ kind: 'invalid', file: 'validation', message, errors: errors.slice(0, 50) })
  return false
}

function checkMemory(model: BaseModel, options: TrainingOptions, allowed: number | undefined): void {
  const adapter = adapterLayout(model.shape, options)
  const { tile, nativeFrom, rowLength, recomputes, threads } = options
  // The adapter with its gradients and the optimiser's state, and what each thread holds.
  const needed =
    16 * adapter.numbers + threads * Pass.bytes({ model, adapter, tile, nativeFrom, rowLength, recomputes })
  const megabytes = Math.ceil(needed / 1e6)
  if (allowed !== undefined && needed > allowed) {
    const most = Math.floor(allowed / 1e6)
    throw new TrainerProblem(`it takes ${megabytes} MB of memory, and trainings may take ${most} MB here`)
  }
  if (needed < freemem()) return
  throw new TrainerProblem(`it takes ${megabytes} MB of memory, which this machine does not have free`)
}

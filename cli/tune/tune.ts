// Fine-tuning from the command line: train a model with a file of examples, follow a training, cancel one.
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { FineTuningJob } from '@atoll/platform/resources/fine-tuning/schema'
import { checkInput } from '../batch/files.ts'
import { CommandProblem, reason } from '../command-problem.ts'
import { followToEnd, interruptedCode, quoted } from '../follow.ts'
import { duration } from '../progress-line.ts'
import { lossCurve } from './loss-curve.ts'
import { TuningProgress } from './progress.ts'
import { TuningServer } from './server.ts'
import { firstLook, isEnded, type WatchedJob, withNews } from './watched-job.ts'

interface TuneFlags {
  base: string
  validation?: string
  suffix?: string
  epochs?: string
  seed?: string
  url?: string
  follow?: string
  cancel?: string
}

/** What the parts of one command share. */
interface Run {
  server: TuningServer
  flags: TuneFlags
  progress: TuningProgress
  signal: AbortSignal
}

export async function tune(file: string | undefined, flags: TuneFlags): Promise<void> {
  const stop = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
  const progress = new TuningProgress(process.stderr)
  try {
    const given = [file, flags.follow, flags.cancel].filter((one) => one !== undefined)
    if (given.includes(''))
      throw new CommandProblem('an empty text names nothing: give a FILE, or the JOB_ID of a training.')
    if (given.length !== 1) throw new CommandProblem('name one: a FILE, --follow JOB_ID or --cancel JOB_ID.')
    const run = { server: new TuningServer(flags.url, process.env), flags, progress, signal: stop.signal }
    if (flags.cancel !== undefined) await cancel(run, flags.cancel)
    else if (flags.follow !== undefined) await finish(run, await run.server.find(flags.follow, stop.signal))
    else await start(run, file ?? '')
  } catch (error) {
    progress.close()
    process.stderr.write(stop.signal.aborted ? 'Stopped.\n' : `${redact(reason(error))}\n`)
    process.exitCode = stop.signal.aborted ? interruptedCode : 1
  }
}

async function start(run: Run, file: string): Promise<void> {
  const { server, flags, progress, signal } = run
  const { base, validation, suffix } = flags
  const [n_epochs, seed] = [wholeNumber('--epochs', flags.epochs), wholeNumber('--seed', flags.seed)]
  for (const path of [file, ...(validation === undefined ? [] : [validation])]) await checkInput(path)
  const training_file = await server.upload(file, signal)
  const validation_file = validation === undefined ? undefined : await server.upload(validation, signal)
  const hyperparameters = n_epochs === undefined ? undefined : { n_epochs }
  // From here to the id there is no stopping: a job that nobody can name would run.
  const made = await server.create({ model: base, training_file, validation_file, suffix, seed, hyperparameters })
  progress.note(`Training ${base} as ${made.id}; Ctrl-C leaves it running`)
  await finish(run, made)
}

async function cancel({ server }: Run, id: string): Promise<void> {
  console.log(`${id} is ${(await server.cancel(id)).status}.`)
}

async function finish(run: Run, begun: FineTuningJob): Promise<void> {
  const { server, flags, progress, signal } = run
  const look = async (watched: WatchedJob): Promise<WatchedJob> => {
    const job = await server.find(begun.id, signal)
    return withNews(watched, job, await server.events(begun.id, watched.events.at(-1)?.id, signal))
  }
  try {
    const ended = await followToEnd(await look(firstLook(begun)), {
      ...{ look, isEnded, signal },
      show: (watched) => progress.show(watched),
      note: (text) => progress.note(text),
    })
    progress.close()
    tell(ended)
  } catch (error) {
    progress.close()
    if (!signal.aborted) process.stderr.write(`${redact(reason(error))}\n`)
    const url = flags.url === undefined ? '' : ` --url ${quoted(flags.url)}`
    process.stderr.write(`The training goes on. To follow it: ./atoll tune --follow ${begun.id}${url}\n`)
    process.exitCode = signal.aborted ? interruptedCode : 1
  }
}

function tell(ended: WatchedJob): void {
  const { job, events, train } = ended
  for (const { level, message } of events) if (level === 'warn') process.stderr.write(`${message}\n`)
  process.stdout.write(lossCurve(ended))
  if (job.status !== 'succeeded') {
    if (job.error !== null) process.stderr.write(`${job.error.message}\n`)
    console.log(`${job.id} ${job.status}: there is no new model.`)
    process.exitCode = 1
    return
  }
  const seconds = (job.finished_at ?? job.created_at) - job.created_at
  const tokens = (job.trained_tokens ?? 0).toLocaleString('en')
  const [first, last] = [train[0]?.loss, train.at(-1)?.loss]
  const loss = first === undefined || last === undefined ? '' : `; loss ${first.toFixed(2)} to ${last.toFixed(2)}`
  console.log(`${job.fine_tuned_model} is ready: ${tokens} tokens in ${duration(seconds)}${loss}.`)
  console.log('Name it as the model of a request, as any other.')
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new CommandProblem(`${flag} is a whole number, not ${text}.`)
}

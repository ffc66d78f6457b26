// Batches from the command line: run a file of requests on a server, follow one that runs, cancel one.
import { basename } from 'node:path'
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { CommandProblem, reason } from '../command-problem.ts'
import { followToEnd, interruptedCode, quoted } from '../follow.ts'
import { megabytes } from '../models/progress.ts'
import { checkInput, checkPaths, localName, type ResultPaths, resultPaths, saveTo } from './files.ts'
import { BatchProgress } from './progress.ts'
import { BatchServer } from './server.ts'
import { isEnded, isSuccess, problems, summary } from './summary.ts'

interface BatchFlags extends Partial<ResultPaths> {
  endpoint: string
  url?: string
  follow?: string
  cancel?: string
}

/** What the parts of one command share. */
interface Run {
  server: BatchServer
  flags: BatchFlags
  progress: BatchProgress
  signal: AbortSignal
}

export async function batch(file: string | undefined, flags: BatchFlags): Promise<void> {
  const stop = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
  const progress = new BatchProgress(process.stderr)
  try {
    const given = [file, flags.follow, flags.cancel].filter((one) => one !== undefined)
    if (given.length !== 1) throw new CommandProblem('name one: a FILE, --follow BATCH_ID or --cancel BATCH_ID.')
    const run = { server: new BatchServer(flags.url, process.env), flags, progress, signal: stop.signal }
    if (flags.cancel !== undefined) await cancel(run, flags.cancel)
    else if (flags.follow !== undefined) await follow(run, flags.follow)
    else await start(run, file ?? '')
  } catch (error) {
    progress.close()
    process.stderr.write(stop.signal.aborted ? 'Stopped.\n' : `${redact(reason(error))}\n`)
    process.exitCode = stop.signal.aborted ? interruptedCode : 1
  }
}

async function start(run: Run, file: string): Promise<void> {
  const { server, flags, progress, signal } = run
  const paths = resultPaths(file, flags)
  const bytes = await checkInput(file)
  await checkPaths(paths, file)
  progress.note(`Sending ${file}, ${bytes < 1e5 ? `${bytes} bytes` : megabytes(bytes)}`)
  const fileId = await server.upload(file, signal)
  // From here to the id there is no stopping: a batch that nobody can name would run.
  const made = await server.create(fileId, flags.endpoint)
  progress.note(`Running as ${made.id}; Ctrl-C leaves it running`)
  await finish(run, made, paths, resultPaths(basename(file), {}))
}

async function follow(run: Run, id: string): Promise<void> {
  const { server, flags, signal } = run
  const found = await server.find(id, signal)
  // The input may have been deleted since; then the batch lends its name.
  const name = await server.fileName(found.input_file_id, signal).catch(() => `${id}.jsonl`)
  const defaults = resultPaths(localName(name, id), {})
  const paths = { output: flags.output ?? defaults.output, errors: flags.errors ?? defaults.errors }
  await checkPaths(paths)
  await finish(run, found, paths, defaults)
}

async function cancel({ server }: Run, id: string): Promise<void> {
  const { status } = await server.cancel(id)
  console.log(`${id} is ${status}. For what was answered before: ./atoll batch --follow ${id}`)
}

/** Waits for the end and fetches the results. `defaults` is where --follow puts them unless told otherwise. */
async function finish(run: Run, begun: BatchObject, paths: ResultPaths, defaults: ResultPaths): Promise<void> {
  const { server, flags, progress, signal } = run
  try {
    const ended = await followToEnd(begun, {
      ...{ isEnded, signal },
      look: ({ id }) => server.find(id, signal),
      show: (batch) => progress.show(batch),
      note: (text) => progress.note(text),
    })
    progress.close()
    if (ended.output_file_id) await saveTo(paths.output, await server.content(ended.output_file_id, signal), signal)
    if (ended.error_file_id) await saveTo(paths.errors, await server.content(ended.error_file_id, signal), signal)
    process.stderr.write(problems(ended))
    process.stdout.write(summary(ended, paths))
    process.exitCode = isSuccess(ended) ? 0 : 1
  } catch (error) {
    progress.close()
    if (!signal.aborted) process.stderr.write(`${redact(reason(error))}\n`)
    const others = Object.entries({
      url: flags.url,
      output: paths.output === defaults.output ? undefined : paths.output,
      errors: paths.errors === defaults.errors ? undefined : paths.errors,
    }).flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoted(value)}`]))
    process.stderr.write(
      `The batch is left as it is. To follow it: ./atoll batch --follow ${begun.id}${others.join('')}\n`,
    )
    process.exitCode = signal.aborted ? interruptedCode : 1
  }
}

// Runs native/files.c: whatever touches layers or files of containers is done there, never in this process.
import { type ChildProcess, spawn } from 'node:child_process'
import { type Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { conflict, forbidden, invalidParameter, kernelErrors, notFound, systemError } from '../errors.ts'

export interface FilesCall {
  args: readonly string[]
  /** Its chunks are used up. */
  input?: Readable
  /** A file as the input: it does not pass through this process. */
  inputFd?: number
  signal?: AbortSignal
  /** Hears how much of the input is done. */
  onProgress?(bytes: number): void
}

const Failure = z.object({ error: z.string(), message: z.string() })

/** An input that stops coming is given up. */
const idleMs = 5 * 60_000
/** With all input there, and for output that nobody reads: no layer takes that long. */
const deadlineMs = 60 * 60_000
const maxReportBytes = 64 * 1024
const maxWaitingBytes = 1024 * 1024
/** Larger than the pool that small buffers share. */
const ownMemoryBytes = 16 * 1024

/** What went wrong, told by the program in its own words. */
export class FilesFailure extends Error {
  readonly kind: string

  constructor(kind: string, message: string) {
    super(message)
    this.kind = kind
  }

  toHttp(): Error {
    switch (this.kind) {
      case 'malformed':
      case 'overwrite':
      case 'limit':
      case 'not-directory':
      case 'invalid':
        return invalidParameter(this.message)
      case 'not-found':
        return notFound(this.message)
      case 'read-only-rootfs':
      case 'read-only-volume':
        return forbidden(this.message)
      case 'not-running':
        return conflict(this.message)
      case 'no-space':
        return kernelErrors.storageFull()
      default:
        return systemError(this.message)
    }
  }
}

export class FilesProgram {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Resolves with what it reports once it has ended well; throws errors of the catalogue otherwise. */
  async report<T extends z.ZodType>(call: FilesCall, schema: T): Promise<z.output<T>> {
    const { report } = await this.#run(call)
    return schema.parse(report)
  }

  /** As `report`, and with what it printed. */
  async output(call: FilesCall): Promise<string> {
    return (await this.#run(call)).output
  }

  /** Its output as it comes. Resolves once there will be one: an error before that is thrown, a later one breaks the stream. */
  async stream(call: FilesCall): Promise<Readable> {
    const child = this.#spawn(call)
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new Error('The files program has no output')
    const ended = exitOf(child)
    let text = ''
    await new Promise<void>((resolve, reject) => {
      stderr.setEncoding('utf8').on('data', (chunk: string) => {
        text = (text + chunk).slice(0, maxReportBytes)
        if (text.startsWith('{"ok"')) resolve()
      })
      ended.then(
        () => reject(failureOf(text)),
        (error: unknown) => reject(error),
      )
    })
    ended.then(
      (code) => code !== 0 && stdout.destroy(failureOf(text.slice(text.indexOf('\n') + 1))),
      (error: Error) => stdout.destroy(error),
    )
    stdout.on('close', () => child.kill('SIGKILL'))
    return stdout
  }

  async #run(call: FilesCall): Promise<{ report: unknown; output: string }> {
    const child = this.#spawn(call)
    const output: Buffer[] = []
    let report = ''
    const { onProgress } = call
    if (onProgress === undefined) child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
    else child.stdout?.setEncoding('utf8').on('data', (text: string) => onProgress(lastNumber(text)))
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      report = (report + chunk).slice(-maxReportBytes)
    })
    const fed = feed(child, call)
    const [code] = await Promise.all([exitOf(child), fed, outputEnd(child)])
    if (call.signal?.aborted) throw call.signal.reason
    if (code !== 0) throw failureOf(report)
    return { report: readReport(report), output: Buffer.concat(output).toString('utf8') }
  }

  #spawn({ args, inputFd, input, signal, onProgress }: FilesCall): ChildProcess {
    signal?.throwIfAborted()
    return spawn(this.#path, [...args, ...(onProgress === undefined ? [] : ['--progress'])], {
      stdio: [inputFd ?? (input === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
      ...(signal !== undefined && { signal }),
    })
  }
}

/** Of the lines that came together; the program writes each of them at once. */
const lastNumber = (text: string): number => Number(text.trimEnd().split('\n').at(-1))

/** An input that breaks off ends the program before it could take what came for the whole. */
async function feed(child: ChildProcess, { input }: FilesCall): Promise<void> {
  const { stdin } = child
  if (input === undefined || stdin === null) return
  const timer = setTimeout(() => input.destroy(kernelErrors.bodyTooSlow()), idleMs)
  try {
    await pipeline(input, inputOf(stdin, timer))
  } catch (error) {
    // The program may end before all is read: then its own report says why.
    if (isBrokenPipe(error)) return
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Gives the memory of a chunk back as soon as it is written, where it is the chunk's alone: left to the collector,
 * collecting it takes as long as all the rest.
 */
function inputOf(stdin: Writable, timer: NodeJS.Timeout): Writable {
  const sink = new Writable({
    highWaterMark: maxWaitingBytes,
    write(chunk: Buffer, _, done) {
      timer.refresh()
      stdin.write(chunk, (error) => {
        const { buffer, length } = chunk
        if (length >= ownMemoryBytes && length === buffer.byteLength && buffer instanceof ArrayBuffer)
          buffer.transfer(0)
        done(error)
      })
    },
    final: (done) => void stdin.end(done),
  })
  stdin.on('error', (error) => sink.destroy(error))
  stdin.on('close', () => sink.destroy())
  return sink
}

const brokenPipes = new Set([
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])
const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && brokenPipes.has(String(error.code))

const outputEnd = ({ stdout }: ChildProcess): Promise<void> =>
  stdout === null ? Promise.resolve() : finished(stdout).catch(() => {})

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(error.name === 'AbortError' ? error : systemError(`files: ${error.message}`)))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function failureOf(report: string): Error {
  const told = Failure.safeParse(readReport(report))
  if (told.success) return new FilesFailure(told.data.error, told.data.message).toHttp()
  return systemError(`files: ended before it was done: ${report.slice(-500).trim()}`)
}

function readReport(report: string): unknown {
  try {
    return JSON.parse(report.trim().split('\n').at(-1) ?? '')
  } catch {
    return undefined
  }
}

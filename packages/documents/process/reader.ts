// A process that reads files, as the server sees it. Whatever a file does to it, only the process suffers: its heap and
// its memory are bounded, it may not write files or start programs, and a timer ends it when it is silent for too long.
import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { getPriority, setPriority, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Log } from '@atoll/kernel/telemetry/log'
import { behind } from '@atoll/kernel/turns/step-back'
import type { DocumentProblem } from '../documents.ts'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import type { FromReader, ToReader } from './messages.ts'

const entry = fileURLToPath(new URL('./reader-process.ts', import.meta.url))
/** Bounds all memory where the system can, not the heap alone, and makes this process the first to go when it is short. */
const boundedStart = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj; ulimit -d "$1" 2>/dev/null; shift; exec "$@"'
/** The one folder it may write to. */
const spoolFolder = realpathSync(tmpdir())
const keptComplaint = 4_000
/** Requests, and small files, are more urgent than long readings and than one file of many. */
const urgent = getPriority()
const unhurried = behind()

export class Reader {
  readonly #child: ChildProcess
  readonly #log: Log
  readonly #ended = Promise.withResolvers<void>()
  #complaint = ''
  #hasSpoken = false
  #isHurried = true
  #problem: DocumentProblem | undefined
  #answer: PromiseWithResolvers<FromReader> | undefined

  constructor({ heapMegabytes, memoryMegabytes }: DocumentLimits, log: Log) {
    this.#log = log
    const node = [
      `--max-old-space-size=${heapMegabytes}`,
      '--disallow-code-generation-from-strings',
      '--permission',
      '--allow-fs-read=*',
      `--allow-fs-write=${spoolFolder}/*`,
      '--disable-warning=ExperimentalWarning',
    ]
    const command = [boundedStart, 'sh', String(memoryMegabytes * 1024), process.execPath, ...node, entry]
    this.#child = spawn('/bin/sh', ['-c', ...command], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // None of the server's secrets.
      env: { TMPDIR: spoolFolder },
    })
    this.#child.on('message', (message) => this.#settle(message as FromReader))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-keptComplaint)
    })
    this.#child.once('error', (error) => this.#end(error.message))
    this.#child.once('close', (code, signal) => this.#end(`it ended with ${signal ?? code}`))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#problem !== undefined
  }

  /** Whether it has started. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** Where the system does not allow that it is hurried again, it stays as it is. */
  hurry(isHurried: boolean): void {
    if (this.#isHurried === isHurried || this.pid === undefined) return
    try {
      setPriority(this.pid, isHurried ? urgent : unhurried)
      this.#isHurried = isHurried
    } catch {
      // It may have ended as well.
    }
  }

  /** Says something and waits for the answer; ends the process when there is none in time, or when nobody wants it. */
  async exchange(message: ToReader, timeoutMs: number, signal: AbortSignal): Promise<FromReader> {
    signal.throwIfAborted()
    if (this.#problem !== undefined) throw this.#problem
    const answer = Promise.withResolvers<FromReader>()
    this.#answer = answer
    const abort = (): void => {
      answer.reject(signal.reason)
      this.kill()
    }
    const timer = setTimeout(() => {
      answer.reject(problems.tooSlow())
      this.kill()
    }, timeoutMs)
    signal.addEventListener('abort', abort, { once: true })
    try {
      // A process that ends meanwhile is told by its exit.
      this.#child.send(message, () => {})
      return await answer.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** An idle process does not keep the server from ending. */
  setIdle(isIdle: boolean): void {
    if (isIdle) {
      this.#child.unref()
      this.#child.channel?.unref()
    } else {
      this.#child.ref()
      this.#child.channel?.ref()
    }
  }

  kill(): Promise<void> {
    this.setIdle(false)
    this.#child.kill('SIGKILL')
    this.#problem ??= problems.closed()
    return this.#ended.promise
  }

  #settle(message: FromReader): void {
    this.#hasSpoken = true
    this.#answer?.resolve(message)
    this.#answer = undefined
  }

  #end(how: string): void {
    this.#ended.resolve()
    if (this.#problem === undefined) {
      // A process that cannot even start has met no file yet.
      const isMemory = this.#hasSpoken && /out of memory|allocation fail/i.test(this.#complaint)
      this.#problem = isMemory ? problems.tooMuchMemory() : problems.readerFailed()
      this.#log.warn({ how, complaint: this.#complaint }, 'a document reader ended')
    }
    this.#answer?.reject(this.#problem)
    this.#answer = undefined
  }
}

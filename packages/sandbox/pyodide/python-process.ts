// The server's end of one Python process: starts it, speaks with it, watches what it uses, and ends it.
import { type ChildProcess, spawn } from 'node:child_process'
import type { FileHandle } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { ChildSettings } from './child/child-settings.ts'
import { programFiles } from './child-files.ts'
import { type Command, encodeFrame, type Frame, FrameReader, type Reply } from './frames.ts'
import { childOf, type Usage, usageOf } from './usage.ts'
import type { Isolation } from './walls/isolation.ts'
import type { ResourceLimits } from './walls/resource-limits.ts'

/** The rest is for calls that leave the engine. */
const usableStack = 0.75
const holderMs = 2_000
const keptComplaint = 2_000
/** An honest process speaks only when it was asked, or is ready. */
const maxUnheard = 4

export interface PythonProcessOptions {
  isolation: Isolation
  resources: ResourceLimits
  /** Of Python's own memory. */
  memoryMegabytes: number
  /** Files and folders it may read. */
  readable: string[]
  entry: string
  settings: ChildSettings
  /** Given to it as a descriptor: whichever user it is, and whatever folders it may enter, it can read that. */
  snapshot: FileHandle | undefined
  maxReplyBytes: number
}

export class PythonProcess {
  readonly #child: ChildProcess
  readonly #forks: boolean
  readonly ended: Promise<void>
  #listener: ((frame: Frame<Reply>) => void) | undefined
  #waiting: Frame<Reply>[] = []
  #complaint = ''
  #hasEnded = false

  constructor(options: PythonProcessOptions) {
    this.#forks = options.isolation.forks
    const [command = '', ...args] = commandLine(options)
    this.#child = spawn(command, args, {
      cwd: '/',
      // Not the machine's: what code prints is the same everywhere.
      env: { TZ: 'UTC' },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe', options.snapshot?.fd ?? 'ignore'],
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    const end = (): void => {
      this.#hasEnded = true
      resolve()
    }
    this.#child.once('error', end)
    // After its pipes are closed: what it said last is heard.
    this.#child.once('close', end)
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-keptComplaint)
    })
    this.#read(this.#child.stdio[3] as Readable | undefined, new FrameReader(options.maxReplyBytes))
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** What it wrote to its standard error, which is nothing unless it crashed. */
  get complaint(): string {
    return this.#complaint
  }

  /** Of the process that runs Python, not of what holds it. */
  get pid(): number | undefined {
    const { pid } = this.#child
    return pid !== undefined && this.#forks ? childOf(pid) : pid
  }

  usage(): Usage | undefined {
    const { pid } = this
    return pid === undefined ? undefined : usageOf(pid)
  }

  /** One listener at a time hears the replies; those that nobody waits for are heard by the next. */
  listen(listener: ((frame: Frame<Reply>) => void) | undefined): void {
    this.#listener = listener
    if (listener) for (const frame of this.#waiting.splice(0)) listener(frame)
  }

  send(command: Command, bytes: Uint8Array): void {
    const input = this.#child.stdin as Writable
    for (const part of encodeFrame(command, bytes)) if (part.length > 0) input.write(part)
  }

  /** At once. Its holder sees it end and goes too; ended first, it could leave a dead process that nobody clears away. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return
    const held = this.#forks ? this.pid : undefined
    if (held === undefined) this.#child.kill('SIGKILL')
    else endQuietly(held)
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), holderMs)
    await this.ended
    clearTimeout(impatience)
  }

  #read(replies: Readable | undefined, reader: FrameReader<Reply>): void {
    replies?.on('error', () => undefined)
    replies?.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.push(chunk)) this.#hear(frame)
      } catch {
        // No honest process sends this.
        void this.kill()
      }
    })
  }

  #hear(frame: Frame<Reply>): void {
    if (this.#listener) this.#listener(frame)
    else if (this.#waiting.length < maxUnheard) this.#waiting.push(frame)
    else void this.kill()
  }
}

function commandLine(options: PythonProcessOptions): string[] {
  const { isolation, resources, memoryMegabytes, readable, entry, settings } = options
  const pages = memoryMegabytes * 16
  const node = [
    process.execPath,
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    '--disable-proto=delete',
    '--disable-sigusr1',
    '--no-addons',
    '--no-warnings',
    '--expose-gc',
    `--wasm-max-mem-pages=${pages}`,
    '--max-old-space-size=192',
    `--stack-size=${Math.floor(resources.stackKilobytes * usableStack)}`,
    '--max-semi-space-size=4',
    entry,
    JSON.stringify(settings),
  ]
  return isolation.wrap(node, resources, [...programFiles(), ...readable])
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

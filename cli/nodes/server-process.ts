// Real server processes for tests: started, heard, stopped or killed, and ended with the test file whatever happens.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterFile } from '@atoll/testkit/after-tests'
import { root } from '../places.ts'

/** As `./atoll` has it: from compiled code, in half of the time. */
const main = join(root, 'bin', 'start.cjs')

export interface ServerOptions {
  /** Of `up`. */
  args: string[]
  env?: Record<string, string>
  /** A command that starts it somewhere else: `['nsenter', …]`. It becomes the server, with its process id. */
  through?: readonly string[]
  /** Another program that takes the same options. */
  program?: string
  /** Runs as this one, for tests that are root. */
  user?: number
  /** Hears the lines that the program writes to its fourth stream. */
  onNote?: (line: string) => void
}

type Exit = [code: number | null, signal: string | null]

export class ServerProcess {
  readonly #child: ChildProcess
  readonly #closed: Promise<Exit>
  readonly #waiting = new Set<() => void>()
  #ended = false
  /** What it wrote so far, log lines included. */
  output = ''

  constructor({ args, env = {}, program = main, through = [], user, onNote }: ServerOptions) {
    const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
    const all = { ...withoutSettings(process.env), ...env }
    const [command = '', ...line] = [...through, process.execPath, program, 'up', ...withServices(args)]
    this.#child = spawn(command, line, {
      ...{ env: all, stdio: [...stdio] },
      ...(user === undefined ? {} : { uid: user, gid: user }),
    })
    this.#closed = once(this.#child, 'close') as Promise<Exit>
    afterFile(async () => (this.#ended ? undefined : this.kill()))
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    }
    this.#child.stdin?.on('error', () => undefined) // it may be gone before it has read
    createInterface(this.#child.stdio[3] as Readable).on('line', (line) => onNote?.(line))
    void this.#closed.then(() => {
      this.#ended = true
      this.#hear('')
    })
  }

  get processId(): number {
    return this.#child.pid ?? 0
  }

  /** Its address, once it takes requests. */
  async ready(service = 'platform'): Promise<string> {
    return (await this.#match(new RegExp(`^ {2}${service} +(http\\S+)$`, 'm')))[1] ?? ''
  }

  /** Resolves when nothing of an earlier crash is left in the blob store. */
  async swept(): Promise<void> {
    await this.#match(/"message":"Swept the blob store"/)
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** kill -9 of a living server. All that it had written is heard when this resolves. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    const [code, signal] = await this.#closed
    if (signal !== 'SIGKILL') throw new Error(`The server had ended by itself with ${code ?? signal}: ${this.output}`)
  }

  /** As an operator ends it; resolves to its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    return (await this.#closed)[0]
  }

  #hear(text: string): void {
    this.output += text
    for (const look of [...this.#waiting]) look()
  }

  #match(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.output)
        if (!found && !this.#ended) return
        this.#waiting.delete(look)
        if (found) resolve(found)
        else reject(new Error(`The server ended before ${pattern}: ${this.output}`))
      }
      this.#waiting.add(look)
      look()
    })
  }
}

/** Most tests speak to the platform alone, and should not wait for the rest. */
const withServices = (args: string[]): string[] =>
  args.some((arg) => ['--only', '--with', '--all', '--config'].includes(arg)) ? args : [...args, '--only', 'platform']

/** A developer's own settings must not reach the servers of tests. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ATOLL_')))

// MCP with a program that the operator has named: a line of JSON to its standard input, a line from its standard output.
import { type ChildProcess, spawn } from 'node:child_process'
import { answerIn, type McpRequest } from './message.ts'
import { mcpProblems } from './problem.ts'
import { type McpTransport, maxAnswerBytes } from './transport.ts'

const graceMs = 2000
const lineFeed = 10

interface Program {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

export class StdioTransport implements McpTransport {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #line: Buffer[] = []
  #lineBytes = 0
  #failure: unknown

  constructor({ command: [name = '', ...words], env }: Program) {
    // A group of its own: what it starts ends with it. Of our own surroundings it gets none but these.
    this.#child = spawn(name, words, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG, ...env },
      detached: true,
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = promise
    this.#child.once('error', (error) => {
      this.#fail(mcpProblems.notStarted(error))
      resolve()
    })
    this.#child.once('close', () => {
      this.#fail(mcpProblems.ended())
      resolve()
    })
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stdout?.on('data', (piece: Buffer) => this.#read(piece))
  }

  agreeOn(): void {}

  async ask(request: McpRequest & { id: number }, signal: AbortSignal): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (this.#failure !== undefined) throw this.#failure
    this.#waiting.set(request.id, { resolve, reject })
    const leave = (): void => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      signal.throwIfAborted()
      this.#write(request)
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
      this.#waiting.delete(request.id)
    }
  }

  async tell(notification: McpRequest): Promise<void> {
    this.#write(notification)
  }

  async close(): Promise<void> {
    this.#child.stdin?.end()
    this.#signal('SIGTERM')
    const timer = setTimeout(() => this.#signal('SIGKILL'), graceMs)
    await this.#ended.finally(() => clearTimeout(timer))
  }

  #write(message: McpRequest): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  #read(piece: Buffer): void {
    let from = 0
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, from)) {
      this.#take(Buffer.concat([...this.#line, piece.subarray(from, end)]).toString())
      this.#line = []
      this.#lineBytes = 0
      from = end + 1
    }
    this.#lineBytes += piece.length - from
    if (this.#lineBytes > maxAnswerBytes) this.#stop(mcpProblems.tooLarge(maxAnswerBytes))
    else if (from < piece.length) this.#line.push(piece.subarray(from))
  }

  #take(line: string): void {
    if (line.trim() === '') return
    for (const [id, { resolve, reject }] of this.#waiting) {
      try {
        const answer = answerIn(line, id)
        if (answer !== undefined) resolve(answer.result)
      } catch (error) {
        reject(error)
      }
    }
  }

  #stop(error: unknown): void {
    this.#fail(error)
    this.#signal('SIGKILL')
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
  }

  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, name)
    } catch {
      // All of them have ended already.
    }
  }
}

// What was typed and what came back, kept as a person would have seen it, and written to the reports at the end.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { root } from '../places.ts'
import type { EngineServer } from './engine-server.ts'
import { type RunOptions, runToEnd, type Typing } from './run-to-end.ts'

export interface StepOptions extends Partial<RunOptions> {
  /** The exit code that is right; 0 unless told. */
  code?: number
}

const patienceMs = 60_000

export class Transcript {
  readonly #server: EngineServer
  readonly #prompt: string
  /** In the order in which they began, also when several run at once. */
  readonly #steps: string[][]

  constructor(server: EngineServer, prompt = '$', steps: string[][] = []) {
    this.#server = server
    this.#prompt = prompt
    this.#steps = steps
  }

  /** The same transcript where another machine is spoken to. */
  at(server: EngineServer, prompt: string): Transcript {
    return new Transcript(server, prompt, this.#steps)
  }

  /** A line between the steps. */
  remark(text: string): void {
    this.#steps.push([text])
  }

  title(text: string): void {
    this.#steps.push([`\n# ${text}`])
  }

  /** One command; resolves to all that it said, without the last line break. */
  async run(command: string, args: readonly string[], { code = 0, ...options }: StepOptions = {}): Promise<string> {
    const { env } = this.#server
    const step = this.#begin(command, args)
    const ended = await runToEnd(command, args, { ...options, env: { ...env, ...options.env }, isMerged: true })
    const said = ended.stdout.replace(/\r?\n$/, '')
    step.push(said + ended.stderr)
    expect(ended.code, `${command} ${args.join(' ')}\n${said}${ended.stderr}`).toBe(code)
    return said
  }

  docker(...args: string[]): Promise<string> {
    return this.run('docker', args)
  }

  /** A command that has to be refused; resolves to what it said. */
  refused(code: number, ...args: string[]): Promise<string> {
    return this.run('docker', args, { code })
  }

  /** In a terminal of 33 rows and 101 columns; what its screen showed comes back. */
  terminal(args: readonly string[], typing: readonly Typing[], code = 0): Promise<string> {
    const line = `stty rows 33 cols 101; ${args.map(quoted).join(' ')}`
    return this.run('script', ['--quiet', '--return', '--command', line, '/dev/null'], { typing, code })
  }

  /** A program on the engine's machine, where published ports are. */
  async onHost(command: string, ...args: string[]): Promise<string> {
    const step = this.#begin(`(on the host) ${command}`, args)
    const ended = await this.#server.host.run(command, args)
    const said = (ended.stdout + ended.stderr).trimEnd()
    step.push(said)
    expect(ended.code, `${command} ${args.join(' ')}\n${said}`).toBe(0)
    return said
  }

  /** Repeats a command until what it says is right; only the last round is kept. */
  async until(isRight: (said: string) => boolean, ...args: string[]): Promise<string> {
    const deadline = Date.now() + patienceMs
    for (;;) {
      const before = this.#steps.length
      const said = await this.docker(...args)
      if (isRight(said)) return said
      if (Date.now() > deadline) throw new Error(`docker ${args.join(' ')} still says: ${said}`)
      this.#steps.length = before
      await pause(50)
    }
  }

  write(name: string): void {
    const path = join(process.env.ATOLL_TEST_REPORTS ?? join(root, 'reports'), name)
    mkdirSync(dirname(path), { recursive: true })
    const lines = this.#steps.flat().filter((line) => line !== '')
    writeFileSync(path, `${lines.join('\n').replaceAll('\r', '').trim()}\n`)
  }

  #begin(command: string, args: readonly string[]): string[] {
    const step = [`${this.#prompt} ${[command, ...args.map(quoted)].join(' ')}`]
    this.#steps.push(step)
    return step
  }
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

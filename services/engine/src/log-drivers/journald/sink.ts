// Sends lines to the journal of this machine, through a small program: only datagrams of its socket get there.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { LogLine, LogSink, LogTools } from '../log-driver.ts'
import { containerFields, journalEntry } from './entry.ts'

const journalSocket = '/run/systemd/journal/socket'
const sendTimeoutMs = 30_000

export const isJournalHere = (): boolean => statSync(journalSocket, { throwIfNoEntry: false })?.isSocket() ?? false

export class JournaldSink implements LogSink {
  readonly #tools: LogTools
  readonly #container: () => ContainerRecord
  #program: ChildProcessWithoutNullStreams | undefined

  constructor(tools: LogTools, container: () => ContainerRecord) {
    this.#tools = tools
    this.#container = container
  }

  async open(): Promise<void> {
    if (!isJournalHere()) throw new Error('journald is not enabled on this host')
  }

  async send(lines: readonly LogLine[]): Promise<void> {
    await this.open()
    const program = await this.#running()
    const fields = containerFields(this.#container())
    const entries = lines.map((line) => framed(journalEntry(line, fields)))
    const taken = answers(program, entries.length)
    program.stdin.write(Buffer.concat(entries))
    await taken
  }

  close(): void {
    this.#program?.kill('SIGKILL')
    this.#program = undefined
  }

  async #running(): Promise<ChildProcessWithoutNullStreams> {
    if (this.#program !== undefined && this.#program.exitCode === null) return this.#program
    const program = spawn(await this.#tools.journal(), [journalSocket], { stdio: 'pipe' })
    program.stdin.on('error', () => undefined)
    await once(program, 'spawn')
    // What it delivers is in the log file until it says so: it holds up no end of the engine.
    program.unref()
    this.#program = program
    return program
  }
}

function framed(entry: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(entry.length)
  return Buffer.concat([length, entry])
}

/** Resolves once the program has said of so many entries that the journal took them. */
function answers(program: ChildProcessWithoutNullStreams, count: number): Promise<void> {
  const { stdout, stderr } = program
  let words = ''
  let left = count
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => end(new Error(`the journal took more than ${sendTimeoutMs} ms`)), sendTimeoutMs)
    const hear = (bytes: Buffer) => {
      left -= bytes.length
      if (left <= 0) end()
    }
    const note = (bytes: Buffer) => {
      words += bytes
    }
    const ended = () => end(new Error(words.trim() || 'the journal took no more'))
    function end(problem?: Error): void {
      clearTimeout(timer)
      stdout.off('data', hear)
      stderr.off('data', note)
      program.off('close', ended)
      if (problem === undefined) resolve()
      else reject(problem)
    }
    stdout.on('data', hear)
    stderr.on('data', note)
    program.on('close', ended)
    if (count === 0) end()
  })
}

// ./atoll up --detach: starts another process that outlives this one, waits until it is up, and tells what it said.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, statSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { AtollConfig } from '../config.ts'
import { ask } from '../control/ask.ts'
import { prepareDataFolder } from './data-folder.ts'
import { logFileIn, openLogFile } from './log-file.ts'

/** Keys are shown to whoever starts it, and never written to the log: they come through a pipe of their own. */
const welcomeNumber = 3
const endOfWelcome = '\0'

/** The child's side. It is up all the same where the terminal that asked for it was closed meanwhile. */
export function sayToStarter(welcome: string): void {
  try {
    writeSync(welcomeNumber, welcome + endOfWelcome)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

export async function detach({ data }: Pick<AtollConfig, 'data'>): Promise<void> {
  prepareDataFolder(data)
  if ((await ask(data, 'status')) !== undefined) throw new Error(`it runs on ${data} already; see ./atoll status.`)
  const file = logFileIn(data)
  const log = openLogFile(file)
  const begin = statSync(file).size
  const [program = '', command = '', ...args] = process.argv.slice(1)
  const own = args.filter((arg) => arg !== '--detach')
  const child = spawn(process.execPath, [...process.execArgv, program, command, ...own, '--detached'], {
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  })
  endWithChild(child)
  const welcome = await Promise.race([welcomeOf(child), once(child, 'exit').then(() => undefined)])
  if (welcome === undefined) {
    process.stderr.write(await text(createReadStream(file, { start: begin, encoding: 'utf8' })))
    process.exit(1)
  }
  const where = args.includes('--data') ? ` (each with --data ${data})` : ''
  process.stdout.write(
    `${welcome}\nIt runs in the background: ./atoll status, ./atoll logs -f, ./atoll stop${where}.\n`,
  )
  process.exit(0)
}

/** Whoever interrupts a start wants none: the other process has a group of its own and hears no Ctrl-C. */
function endWithChild(child: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      process.exit(128 + constants.signals[signal])
    })
  }
}

/** Not until the pipe ends: what the child has started may hold its other end for long. */
async function welcomeOf(child: ChildProcess): Promise<string> {
  let said = ''
  for await (const piece of (child.stdio[welcomeNumber] as Readable).setEncoding('utf8')) {
    said += piece
    if (said.endsWith(endOfWelcome)) return said.slice(0, -endOfWelcome.length)
  }
  return new Promise(() => undefined) // it ended without a word: its exit is what counts
}

// ./atoll logs: what an Atoll without a terminal has written.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { CommandProblem, telling } from '../command-problem.ts'
import type { Status } from '../up/control-commands.ts'
import { logFileIn } from '../up/log-file.ts'
import { ask } from './ask.ts'
import { type FolderFlags, folderOf } from './status.ts'

interface LogsFlags extends FolderFlags {
  follow?: boolean
  lines?: string
}

const defaultLines = 100
const lookEveryMs = 200
const pieceBytes = 64 * 1024

export const showLogs = (flags: LogsFlags): Promise<void> =>
  telling(async () => {
    const count = Number(flags.lines ?? defaultLines)
    if (!Number.isSafeInteger(count) || count < 0) throw new CommandProblem('--lines takes a whole number.')
    const folder = await folderOf(flags)
    const status = await ask<Status>(folder, 'status')
    if (status?.log !== undefined && 'unit' in status.log) return journal(status.log.unit, count, flags.follow)
    if (status !== undefined && status.log === undefined) {
      throw new CommandProblem(`Atoll runs in a terminal (process ${status.pid}), and writes its log there.`)
    }
    await showFile(logFileIn(folder), count, flags.follow)
  })

async function journal(unit: string, count: number, follow = false): Promise<void> {
  const scope = process.getuid?.() === 0 ? [] : ['--user']
  const args = [...scope, '--unit', unit, '--lines', String(count), ...(follow ? ['--follow'] : [])]
  const [code] = await once(spawn('journalctl', args, { stdio: 'inherit' }), 'exit')
  process.exitCode = code ?? 1
}

async function showFile(path: string, count: number, follow = false): Promise<void> {
  const file = await open(path).catch(() => {
    throw new CommandProblem(`there is no log at ${path}: ./atoll up --detach writes one.`)
  })
  try {
    let at = await startOfLast(file, count)
    for (;;) {
      const { size } = await file.stat()
      if (size < at) at = 0 // it was cut
      for await (const piece of file.createReadStream({ start: at, end: Math.max(at, size - 1), autoClose: false })) {
        process.stdout.write(piece)
        at += piece.length
      }
      if (!follow) return
      await setTimeout(lookEveryMs)
    }
  } finally {
    await file.close()
  }
}

/** Where the last lines begin; read from the end. */
async function startOfLast(file: Awaited<ReturnType<typeof open>>, count: number): Promise<number> {
  let { size: at } = await file.stat()
  let missing = count + 1 // the last line has an end too
  while (at > 0) {
    const length = Math.min(pieceBytes, at)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, at - length)
    for (let byte = length - 1; byte >= 0; byte--) {
      if (buffer[byte] === 0x0a && --missing === 0) return at - length + byte + 1
    }
    at -= length
  }
  return 0
}

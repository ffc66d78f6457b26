// Calls the host's `ps` and reads its table.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { invalidParameter, systemError } from '../../../errors.ts'
import type { TopProcesses } from './schema.ts'

const run = promisify(execFile)
const deadlineMs = 10_000
const maxTableBytes = 16 * 1024 * 1024
const blanks = /[\t\n\v\f\r ]+/

/** Throws for a column that is given the title by which processes are found. */
export function checkArguments(text: string): string[] {
  for (const [, column = '', title] of ` ${text}`.matchAll(/[\s,]+([^\s,=]*)=\s*(PID[^\s,]*)/g)) {
    if (column.toLowerCase() !== 'pid') throw invalidParameter(`specifying "${column}=${title}" is not allowed`)
  }
  return text.split(blanks).filter((word) => word !== '')
}

/** The rows of these processes only, whatever the arguments select. */
export async function processTable(args: readonly string[], pids: readonly number[]): Promise<TopProcesses> {
  const [head = '', ...rows] = (await callPs(args, pids)).split('\n')
  const titles = head.split(blanks).filter((title) => title !== '')
  const pidColumn = titles.indexOf('PID')
  if (pidColumn < 0) throw invalidParameter("Couldn't find PID field in ps output")
  const wanted = new Set(pids.map(String))
  const processes: string[][] = []
  let isWanted = false
  for (const row of rows.filter((text) => text.trim() !== '')) {
    const cells = splitRow(row, titles.length)
    const pid = cells[pidColumn] ?? ''
    // A line of a thread stands under the one of its process.
    if (pid !== '-') isWanted = wanted.has(pid)
    if (isWanted) processes.push(cells)
  }
  return { Titles: titles, Processes: processes }
}

/** The last column may hold blanks. */
function splitRow(row: string, columns: number): string[] {
  const words = row.trim().split(blanks)
  return [...words.slice(0, columns - 1), words.slice(columns - 1).join(' ')]
}

/** Asks for the processes by number, which is quick; for all of them where the arguments do not go with that. */
async function callPs(args: readonly string[], pids: readonly number[]): Promise<string> {
  try {
    return await tableOf([...args, `-q${pids.join(',')}`])
  } catch {
    return tableOf(args)
  }
}

async function tableOf(args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' }
  try {
    const options = { env, timeout: deadlineMs, killSignal: 'SIGKILL' as const, maxBuffer: maxTableBytes }
    return (await run('ps', args, options)).stdout
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): Error {
  const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
  if (code === 'ENOENT') return systemError('ps is not installed on this machine: install procps')
  if (typeof code !== 'number') return systemError('ps did not answer in time')
  const [reason = ''] = stderr.split('\n').filter((line) => line.trim() !== '')
  return invalidParameter(`ps: ${reason.replace(/^error: /, '')}`)
}

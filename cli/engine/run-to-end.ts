// A program on this machine, run to its end.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Ended } from '@atoll/engine/testing/isolated'

/** What is typed once the output so far matches. */
export type Typing = readonly [after: RegExp, keys: string]

export interface RunOptions {
  env: Record<string, string>
  cwd?: string
  input?: string
  /** Instead of `input`: the input stays open, and is typed as a person would. */
  typing?: readonly Typing[]
  timeoutMs?: number
  /** Standard error goes where standard output goes. */
  isMerged?: boolean
}

const defaultTimeoutMs = 30_000

export async function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, cwd, input = '', typing, timeoutMs = defaultTimeoutMs, isMerged = false } = options
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' })
  const ended = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended[isMerged ? 'stdout' : 'stderr'] += text))
  child.stdin.on('error', () => undefined) // it may not read
  if (typing === undefined) child.stdin.end(input)
  else typeInto(child, [...typing])
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  if (signal === 'SIGKILL') ended.stderr += `(killed after ${timeoutMs} ms)`
  return { code: typeof code === 'number' ? code : 137, ...ended }
}

/** Each answer is looked for behind the one before. */
function typeInto(child: ChildProcessWithoutNullStreams, left: Typing[]): void {
  let unread = ''
  const hear = (text: string) => {
    unread += text
    const found = left[0]?.[0].exec(unread)
    if (!found) return
    unread = unread.slice(found.index + found[0].length)
    child.stdin.write(left.shift()?.[1] ?? '')
  }
  child.stdout.on('data', hear)
  hear('')
}

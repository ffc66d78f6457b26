import { spawnSync } from 'node:child_process'
import { CommandProblem } from '../command-problem.ts'

const maxOutputBytes = 64 * 1024 * 1024

/** What it printed; what went wrong is a problem of whoever asked. */
export function runTool(name: string, args: readonly string[], cwd?: string): string {
  const { error, status, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8', maxBuffer: maxOutputBytes, cwd })
  if (error !== undefined) throw new CommandProblem(`${name} cannot be started: ${error.message}`)
  if (status !== 0) throw new CommandProblem(`${name} ${args[0]} failed: ${stderr.trim().slice(-2_000)}`)
  return stdout
}

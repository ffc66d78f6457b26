// Runs `ip`, `nft` and the like: with input, a deadline and a limit on what they may say.
import { execFile } from 'node:child_process'

const deadlineMs = 10_000
const maxOutputBytes = 16 * 1024 * 1024

export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed'
}

/** What it wrote; throws ProgramFailed with its own words. */
export function runProgram(command: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: deadlineMs, killSignal: 'SIGKILL', maxBuffer: maxOutputBytes } as const
    const child = execFile(command, args, options, (problem, stdout, stderr) => {
      if (problem === null) resolve(stdout)
      else reject(new ProgramFailed(`${command}: ${stderr.trim() || problem.message}`))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

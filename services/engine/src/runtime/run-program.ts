// Runs a program to its end, with a deadline and a limit for what it says.
import { execFile } from 'node:child_process'

const maxOutputBytes = 4 * 1024 * 1024

export interface ProgramResult {
  /** 124 when it took too long, 127 when it is not there. */
  code: number
  stdout: string
  stderr: string
}

function codeOf(error: unknown): number {
  if (error === null) return 0
  const { code, killed } = error as { code?: number | string | null; killed?: boolean }
  if (killed) return 124
  if (code === 'ENOENT' || code === 'EACCES') return 127
  return typeof code === 'number' ? code : 1
}

export function runProgram(
  file: string,
  args: readonly string[],
  { seconds }: { seconds: number },
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: maxOutputBytes } as const
    const child = execFile(file, [...args], options, (error, stdout, stderr) =>
      resolve({ code: codeOf(error), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

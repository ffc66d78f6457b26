// ./atoll doctor, asked by a server that runs: in a process of its own, since it tries programs one after the other.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Check } from './check.ts'

const limitMs = 60_000
const maxAnswerBytes = 1024 * 1024

export async function askDoctor(data: string): Promise<Check[]> {
  const [program = ''] = process.argv.slice(1)
  const args = [...process.execArgv, program, 'doctor', '--json', '--data', data]
  const options = { timeout: limitMs, maxBuffer: maxAnswerBytes, killSignal: 'SIGKILL' as const }
  // It ends with 1 where something is missing, and has told what all the same.
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((error: unknown) => {
    const { stdout: told } = error as { stdout?: string }
    if (told) return { stdout: told }
    throw error
  })
  return JSON.parse(stdout) as Check[]
}

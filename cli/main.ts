// The command line. A command's code is loaded only when it is the one asked for.
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'

export async function main(): Promise<void> {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode
  }
}

if (import.meta.main) await main()

// The command line. A command's code is loaded only when it is the one asked for.
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'

/** As shells tell of a program that SIGPIPE ended. */
const readNoFurther = 141

export async function main(): Promise<void> {
  process.stdout.on('error', onlyUnread)
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode
  }
}

/** Whoever reads along has seen enough (`| head`). A server goes on all the same. */
function onlyUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (process.argv[2] !== 'up') process.exit(readNoFurther)
}

if (import.meta.main) await main()

// The command line. A command's code is loaded only when it is the one asked for.
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else throw error
}

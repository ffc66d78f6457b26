// What goes wrong in a command that speaks to a server, and how a person hears of it.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { redact } from '@atoll/kernel/telemetry/redaction'

/** Something a person can change; told in a line. */
export class CommandProblem extends Error {
  /** The server is away or overloaded: the same may work later. */
  readonly passes: boolean

  constructor(message: string, passes = false) {
    super(message)
    this.passes = passes
  }
}

/** Anything but a problem is a fault of the program. */
export async function telling(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${redact(reason(error))}\n`)
    process.exitCode = 1
  }
}

export function reason(error: unknown): string {
  if (error instanceof CommandProblem) return `atoll: ${error.message}`
  if (error instanceof ConfigError) return `atoll: the configuration is wrong.\n  ${error.problems.join('\n  ')}`
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return 'atoll: the disk is full.'
  if (error instanceof TypeError && error.message === 'terminated') return 'atoll: the connection broke off.'
  if (code && syscall && path) return `atoll: ${path}: ${code} (${syscall}).`
  return `atoll: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

// The first signal ends the server properly, the second at once. A hangup lets it read its configuration again, where it
// can: unless it is the terminal it runs in that was closed.
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** On top of the grace the services get themselves: closing the database and the like. */
const slackSeconds = 5

interface Stoppable {
  /** As it is set when the signal comes. */
  graceSeconds(): number
  close(): Promise<void>
  reload?: (() => Promise<void>) | undefined
}

export function stopOnSignals({ graceSeconds, close, reload }: Stoppable): void {
  const hadTerminal = hasTerminal()
  let stopping = false
  const stop = async (signal: (typeof signals)[number]) => {
    if (stopping) process.exit(128 + constants.signals[signal])
    stopping = true
    process.stderr.write('Stopping; once more to stop at once.\n')
    const late = setTimeout(() => give('Not everything ended in time.'), (graceSeconds() + slackSeconds) * 1000)
    late.unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      give(`Could not stop properly: ${error instanceof Error ? error.message : error}`)
    }
  }
  const hear = (signal: (typeof signals)[number]) => {
    const isReload = signal === 'SIGHUP' && reload !== undefined && hasTerminal() === hadTerminal
    if (isReload && !stopping) void reload()
    else void stop(signal)
  }
  for (const signal of signals) process.on(signal, (name) => hear(name as (typeof signals)[number]))
}

/** A terminal that was closed can no longer be opened. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

function give(up: string): never {
  process.stderr.write(`${up}\n`)
  process.exit(1)
}

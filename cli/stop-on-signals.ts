// The first signal ends the server properly, the second at once.
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** On top of the grace the services get themselves: closing the database and the like. */
const slackSeconds = 5

export function stopOnSignals(graceSeconds: number, close: () => Promise<void>): void {
  let stopping = false
  const stop = async (signal: (typeof signals)[number]) => {
    if (stopping) process.exit(128 + constants.signals[signal])
    stopping = true
    process.stderr.write('Stopping; once more to stop at once.\n')
    const late = setTimeout(() => give('Not everything ended in time.'), (graceSeconds + slackSeconds) * 1000)
    late.unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      give(`Could not stop properly: ${error instanceof Error ? error.message : error}`)
    }
  }
  for (const signal of signals) process.on(signal, (name) => void stop(name as (typeof signals)[number]))
}

function give(up: string): never {
  process.stderr.write(`${up}\n`)
  process.exit(1)
}

// A command that Ctrl-C ends, and that says in one line what went wrong.
import { redact } from '@atoll/kernel/telemetry/redaction'

const interruptedCode = 130

export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
  try {
    await work(stop.signal)
  } catch (error) {
    process.stderr.write(stop.signal.aborted ? 'Stopped.\n' : `atoll: ${redact((error as Error).message)}\n`)
    process.exitCode = stop.signal.aborted ? interruptedCode : 1
  }
}

// A run's stream for one caller: what starts the run comes first, then all that happens.
import type { RunEvent } from './events.ts'
import type { RunHub } from './hub.ts'
import type { ReaderOptions, RunReader } from './reader.ts'

/** `start` makes the run begin; when it refuses, there is no stream. */
export async function readStream(
  hub: RunHub,
  runId: string,
  options: ReaderOptions,
  start: (reader: RunReader) => Promise<RunEvent[]>,
): Promise<AsyncIterable<RunEvent>> {
  const reader = hub.read(runId, options)
  try {
    reader.open(await start(reader))
  } catch (error) {
    reader.close()
    throw error
  }
  return reader.events()
}

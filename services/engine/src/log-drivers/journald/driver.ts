// The log driver `journald`: lines go to the journal of this machine.
import type { LogDriver } from '../log-driver.ts'
import { isJournalHere, JournaldSink } from './sink.ts'

const retryWaitMs = 500
const maxLinesInMemory = 1_000

export const journald: LogDriver = {
  options: {},
  isHere: isJournalHere,
  forward: (_, container, tools) => ({
    sink: new JournaldSink(tools, container),
    isAsync: false,
    retry: { waitMs: retryWaitMs, maxRetries: Number.POSITIVE_INFINITY },
    maxLines: maxLinesInMemory,
  }),
}

// Who reads the streams of runs in this process.
import type { Events } from '@atoll/kernel/events/events'
import type { Log } from '@atoll/kernel/telemetry/log'
import { StreamHub } from '../../../../tool-loop/stream-hub.ts'
import type { RunEvent } from './events.ts'
import { type ReaderOptions, RunReader } from './reader.ts'
import { type RunState, replay } from './replay.ts'

interface Parts {
  events: Events
  log: Log
  /** Undefined when there is no such run any more. */
  load(runId: string): Promise<RunState | undefined>
}

export class RunHub extends StreamHub<RunEvent, ReaderOptions, RunReader> {
  readonly #load: Parts['load']

  constructor({ events, log, load }: Parts) {
    super({
      ...{ events, log, topic: 'runs' },
      load: async (runId) => {
        const state = await load(runId)
        return state && replay(state)
      },
      newReader: (options, onClose) => new RunReader(options, onClose),
      words: {
        gone: 'The thread of this run was deleted.',
        shutDown: 'The server is shutting down. The run goes on when it is back.',
        lost: 'The server could not follow this run. Retrieve it to see how it ended.',
      },
    })
    this.#load = load
  }

  /** As the database knows it. */
  state(runId: string): Promise<RunState | undefined> {
    return this.#load(runId)
  }
}

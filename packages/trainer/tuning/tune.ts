// A training in a process of its own, as its events come.
import { EventQueue } from '@atoll/models/event-queue'
import { ModelProcess } from '@atoll/models/process/model-process'
import type { TuningEvent, TuningRequest } from './protocol.ts'

const entry = new URL('./tuning-process.ts', import.meta.url)

export interface TuneOptions {
  /** The process is ended when it is aborted; a later one goes on from its records. */
  signal: AbortSignal
  onLog(line: string): void
}

export async function* tune(request: TuningRequest, { signal, onLog }: TuneOptions): AsyncGenerator<TuningEvent> {
  signal.throwIfAborted()
  const events = new EventQueue<TuningEvent>()
  const process = new ModelProcess<never, TuningEvent[]>({
    entry,
    what: 'The training',
    args: [JSON.stringify(request)],
    onLog,
  })
  process.onMessage((batch) => {
    for (const event of batch) events.push(event)
  })
  process.onEnd((problem) => events.fail(problem))
  const abort = (): void => events.fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      for (const event of await events.take()) {
        yield event
        if (['invalid', 'done', 'failed'].includes(event.kind)) return
      }
    }
  } finally {
    signal.removeEventListener('abort', abort)
    await process.stop()
  }
}

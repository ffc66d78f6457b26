// A training in a process of its own, as its events come.
import { EventQueue } from '@atoll/models/event-queue'
import { ModelProcess } from '@atoll/models/process/model-process'
import type { TuningCommand, TuningEvent, TuningRequest } from './protocol.ts'

const entry = new URL('./tuning-process.ts', import.meta.url)

export interface TuneOptions {
  /** The process is ended when it is aborted; a later one goes on from its records. */
  signal: AbortSignal
  onLog(line: string): void
  /** Called with what is to be told when it must stand still, and when it may go on; gives what ends that. */
  pauses?(tell: (isPaused: boolean) => void): () => void
}

/** After `validated` it goes on when the next event is asked for. */
export async function* tune(request: TuningRequest, options: TuneOptions): AsyncGenerator<TuningEvent> {
  const { signal, onLog, pauses } = options
  signal.throwIfAborted()
  const events = new EventQueue<TuningEvent>()
  const process = new ModelProcess<TuningCommand, TuningEvent[]>({
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
  const endPauses = pauses?.((isPaused) => {
    if (!process.hasEnded) process.send({ kind: 'pause', isPaused })
  })
  try {
    for (;;) {
      for (const event of await events.take()) {
        // Those that came before are not told any more, however many wait.
        signal.throwIfAborted()
        yield event
        if (event.kind === 'validated' && !process.hasEnded) process.send({ kind: 'begin' })
        if (['invalid', 'done', 'failed'].includes(event.kind)) return
      }
    }
  } finally {
    endPauses?.()
    signal.removeEventListener('abort', abort)
    await process.stop()
  }
}

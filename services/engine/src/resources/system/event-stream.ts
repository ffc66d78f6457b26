// Events as one caller sees them: what was kept since a time, then what happens, until a time or until the caller goes.
import { Readable } from 'node:stream'
import type { EngineEvent, EngineEvents } from '../../events/engine-events.ts'

/** A caller that reads slower than things happen is cut off here: nobody else waits for it, and nothing is left out. */
const maxUnreadBytes = 4 * 1024 * 1024
/** The longest a timer can wait. */
const maxTimerMs = 2 ** 31 - 1

export interface EventRequest {
  /** Nanoseconds since 1970. */
  since: number | undefined
  until: number | undefined
  fits(event: EngineEvent): boolean
  /** For older callers: the event in their form, or undefined when it is none for them. */
  shape: ((event: unknown) => unknown) | undefined
  nowMs: number
}

export function eventStream(events: EngineEvents, request: EventRequest): Readable {
  const { since, until, fits, shape, nowMs } = request
  let stopListening = () => {}
  let timer: NodeJS.Timeout | undefined
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      stopListening()
      clearTimeout(timer)
      done(error)
    },
  })
  const tell = (event: EngineEvent, text: string): void => {
    const isAsked = (since === undefined || event.timeNano >= since) && (until === undefined || event.timeNano <= until)
    if (!isAsked || !fits(event)) return
    const told = shape === undefined ? text : shapedText(text, shape)
    if (told !== undefined) stream.push(told)
    if (stream.readableLength > maxUnreadBytes) stream.destroy(new Error('The reader of events is too slow'))
  }
  if (since !== undefined || until !== undefined) for (const { event, text } of events.past) tell(event, text)
  const leftMs = until === undefined ? undefined : until / 1e6 - nowMs
  if (leftMs !== undefined && leftMs <= 0) {
    stream.push(null)
    return stream
  }
  stopListening = events.listen(tell)
  if (leftMs !== undefined && leftMs <= maxTimerMs) timer = setTimeout(() => stream.push(null), leftMs)
  stream.once('end', () => stream.destroy())
  return stream
}

function shapedText(text: string, shape: (event: unknown) => unknown): string | undefined {
  const told = shape(JSON.parse(text))
  return told === undefined ? undefined : `${JSON.stringify(told)}\n`
}

// A way to speak about a session. Inside it is the one of 2024; others are translations at the edge.
import type { ServerEvent } from '../events.ts'
import type { RawEvent } from '../read-event.ts'

export interface Dialect {
  /** Throws an error of the catalogue for what cannot be said inside. */
  read(event: RawEvent): RawEvent
  /** None, one or several. */
  write(event: ServerEvent): ServerEvent[]
}

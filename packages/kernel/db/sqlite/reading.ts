// What the calling thread and a reader thread say to each other. A thread answers one statement at a time, in pieces:
// the next one is sent when the last was taken, so that neither side holds or copies much at once.
import type { Failure, Rows, Value } from './protocol.ts'

export type ReadRequest = { kind: 'read'; sql: string; values: readonly Value[] } | { kind: 'more' } | { kind: 'close' }

export type ReadReply = { kind: 'rows'; rows: Rows; more: boolean } | { kind: 'failed'; failure: Failure }

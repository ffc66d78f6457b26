// What a handler returns when the answer is no plain JSON with the route's own status.
import type { Duplex, Readable } from 'node:stream'

export interface ServerSentEvent {
  /** Absent: a data-only event. */
  event?: string
  /** What a client that comes back sends as Last-Event-ID. */
  id?: string
  /** Sent as it is; JSON is the handler's to write. */
  data: string
}

type Headers = Record<string, string>

export type ReplyContent =
  | { kind: 'json'; status: number; value: unknown; headers: Headers }
  | { kind: 'empty'; status: number; headers: Headers }
  | { kind: 'bytes'; status: number; body: Readable | Uint8Array | string; headers: Headers }
  | { kind: 'events'; events: AsyncIterable<ServerSentEvent>; headers: Headers }
  | { kind: 'hijack'; take(connection: Duplex): void; headers: Headers }

export class Reply {
  readonly content: ReplyContent

  constructor(content: ReplyContent) {
    this.content = content
  }
}

export const json = (status: number, value: unknown, headers: Headers = {}): Reply =>
  new Reply({ kind: 'json', status, value, headers })

export const empty = (status = 204, headers: Headers = {}): Reply => new Reply({ kind: 'empty', status, headers })

/** Somebody else has the bytes, for a while: nobody may remember where. */
export const redirect = (location: string): Reply => empty(302, { location, 'cache-control': 'no-store' })

export const bytes = (body: Readable | Uint8Array | string, headers: Headers, status = 200): Reply =>
  new Reply({ kind: 'bytes', status, body, headers })

export const events = (stream: AsyncIterable<ServerSentEvent>, headers: Headers = {}): Reply =>
  new Reply({ kind: 'events', events: stream, headers })

/**
 * The connection stops speaking HTTP: after 101 (the client asked for an upgrade) or 200 and the headers,
 * `take` owns its bytes both ways.
 */
export const hijack = (take: (connection: Duplex) => void, headers: Headers = {}): Reply =>
  new Reply({ kind: 'hijack', take, headers })

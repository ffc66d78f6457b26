// What a log driver is. Every driver but `none` keeps the container's log file, so that logs can always be read; some
// also send every line elsewhere.
import type { ContainerRecord } from '../resources/containers/record.ts'
import type { LogOptions, OptionCheck } from './log-options.ts'

export interface LogDriver {
  /** Options it knows, and what their values have to be. */
  options: Readonly<Record<string, OptionCheck>>
  /** What is wrong with the options together, each being fine alone. */
  conflicts?(options: LogOptions): string[]
  /** Whether this machine has what it needs; absent: every one has. */
  isHere?(): boolean
  /** The options have been checked. `container` may be another each time: it can get a new name. */
  forward?(options: LogOptions, container: () => ContainerRecord, tools: LogTools): Forwarding
}

/** What drivers need of the engine. */
export interface LogTools {
  /** Path of the program that speaks to the journal; built by the first who asks. */
  journal(): Promise<string>
}

export interface Forwarding {
  sink: LogSink
  /** A container starts whether or not somebody listens. */
  isAsync: boolean
  retry: { waitMs: number; maxRetries: number }
  /** How many lines are in memory at once, at most. */
  maxLines: number
}

export interface LogSink {
  /** Connects, unless it is; rejects with DialFailure when nobody listens. */
  open(): Promise<void>
  /**
   * Connects where needed; resolves once the lines are delivered as far as the protocol can tell.
   * @param chunk tells lines that come again from new ones
   */
  send(lines: readonly LogLine[], chunk: string): Promise<void>
  /** Can be opened again. What is being sent is given up. */
  close(): void
}

export interface LogLine {
  /** Without its line end. */
  log: string
  stream: 'stdout' | 'stderr'
  /** RFC 3339 with nine digits of a second. */
  time: string
  /** A long line comes in pieces. */
  part?: LinePart
}

interface LinePart {
  id: string
  ordinal: number
  isLast: boolean
}

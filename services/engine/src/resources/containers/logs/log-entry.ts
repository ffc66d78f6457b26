// One line of a log file: `{"log":"text\n","stream":"stdout","time":"2026-11-15T22:01:13.123456789Z"}`.
import { frameHeader, stderrStream, stdoutStream } from '../../../streams/frames.ts'

export interface LogEntry {
  log: string
  stream: 'stdout' | 'stderr'
  /** With nine digits of a second, so that times compare as text. */
  time: string
}

/** Which entries are wanted. */
export interface LogRange {
  stdout: boolean
  stderr: boolean
  /** As `time` of an entry; both ends belong to the range. */
  since: string | undefined
  until: string | undefined
}

export interface LogFormat {
  framed: boolean
  timestamps: boolean
  /** Put before every line; undefined: nothing is. */
  details: string | undefined
}

const timeLength = '2026-11-15T22:01:13.123456789Z'.length

/** Undefined for what is no entry: the half-written end of a file after a crash. */
export function parseEntry(line: Buffer): LogEntry | undefined {
  try {
    const { log, stream, time } = JSON.parse(line.toString('utf8'))
    if (typeof log !== 'string' || typeof time !== 'string') return undefined
    return { log, stream: stream === 'stderr' ? 'stderr' : 'stdout', time: fullTime(time) }
  } catch {
    return undefined
  }
}

function fullTime(time: string): string {
  if (time.length === timeLength) return time
  const [, seconds = '', fraction = ''] = /^([^.Z]*)(?:\.(\d*))?Z$/.exec(time) ?? []
  return `${seconds}.${fraction.padEnd(9, '0').slice(0, 9)}Z`
}

export const isInRange = ({ stream, time }: LogEntry, { stdout, stderr, since, until }: LogRange): boolean =>
  (stream === 'stdout' ? stdout : stderr) &&
  (since === undefined || time >= since) &&
  (until === undefined || time <= until)

/** Writes entries as clients want them. A line may come in several entries; what is put before it comes once. */
export class EntryWriter {
  readonly #format: LogFormat
  readonly #isInsideLine = { stdout: false, stderr: false }

  constructor(format: LogFormat) {
    this.#format = format
  }

  write(entry: LogEntry, into: Buffer[]): void {
    const text = Buffer.from(this.#prefix(entry) + entry.log)
    this.#isInsideLine[entry.stream] = !entry.log.endsWith('\n')
    if (this.#format.framed) {
      into.push(frameHeader(entry.stream === 'stdout' ? stdoutStream : stderrStream, text.length))
    }
    into.push(text)
  }

  #prefix({ stream, time }: LogEntry): string {
    if (this.#isInsideLine[stream]) return ''
    const { timestamps, details } = this.#format
    return `${timestamps ? `${time} ` : ''}${details === undefined ? '' : `${details} `}`
  }
}

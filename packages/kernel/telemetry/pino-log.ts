// Logs through pino. Every line passes `redact` as a whole, after it became text: no field, however deep, escapes it.
import { pino } from 'pino'
import { humanLine } from './human-line.ts'
import type { Log } from './log.ts'
import { redact } from './redaction.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LogDestination {
  write(line: string): void
}

interface LogOptions {
  level: LogLevel
  /** Standard output unless told: JSON, or short lines for people when it is a terminal. */
  destination?: LogDestination
}

/** A log whose level may be changed while it is written. */
export interface LeveledLog extends Log {
  level: string
}

// A reader of standard output that stalls costs lines, not memory without end.
const maxBufferedBytes = 16 * 1024 * 1024
// Each write is a trip to another thread: under load many lines share one, and none waits for long.
const gatheredBytes = 8 * 1024
const longestGatheringMs = 100

export function createLog(options: LogOptions): LeveledLog {
  const sink = options.destination ?? standardOutput()
  const destination = { write: (line: string) => sink.write(redact(line)) }
  return pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }), log: readableErrors },
    },
    destination,
  )
}

function standardOutput(): LogDestination {
  if (process.stdout.isTTY) return { write: (line) => process.stdout.write(humanLine(line)) }
  return pino.destination({
    fd: 1,
    sync: false,
    maxLength: maxBufferedBytes,
    minLength: gatheredBytes,
    periodicFlush: longestGatheringMs,
  })
}

/** Many lines share a millisecond; its text is made once. */
let lastTime = 0
let lastTimeText = ''

function isoTime(): string {
  const now = Date.now()
  if (now === lastTime) return lastTimeText
  lastTime = now
  lastTimeText = `,"time":"${new Date(now).toISOString()}"`
  return lastTimeText
}

/** JSON of an Error is `{}`: each error among the fields becomes what people need to read. */
function readableErrors(fields: object): Record<string, unknown> {
  const shown = fields as Record<string, unknown>
  if (!Object.values(shown).some((value) => value instanceof Error)) return shown
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      value instanceof Error ? pino.stdSerializers.err(value) : value,
    ]),
  )
}

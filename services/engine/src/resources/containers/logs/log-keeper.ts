// A log driver that keeps the lines it was sent, and gives them back.
import { EntryWriter, isInRange, type LogEntry, type LogFormat, type LogRange } from './log-entry.ts'

export interface KeptReading {
  since: string | undefined
  until: string | undefined
  tail: number | undefined
  follow: boolean
}

export interface LogKeeper {
  /** Rejects when it does not answer. */
  canRead(): Promise<boolean>
  entries(reading: KeptReading, signal: AbortSignal): AsyncGenerator<LogEntry>
}

/** Its lines as clients want them; whatever it sends, only what was asked for. */
export async function* readKept(
  keeper: LogKeeper,
  { range, format, ...reading }: KeptReading & { range: LogRange; format: LogFormat },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const writer = new EntryWriter(format)
  for await (const entry of keeper.entries(reading, signal)) {
    if (!isInRange(entry, range)) continue
    const pieces: Buffer[] = []
    writer.write(entry, pieces)
    yield Buffer.concat(pieces)
  }
}

// Lines of logs as plugins get and give them: a length in four bytes, then a message of protocol buffers.
import type { Readable } from 'node:stream'
import { systemError } from '../errors.ts'
import { bool, bytes, int32, int64, message, nested, string } from '../grpc/message.ts'
import type { LogLine } from '../log-drivers/log-driver.ts'
import type { LogEntry } from '../resources/containers/logs/log-entry.ts'

const Part = message({ last: bool(1), id: string(2), ordinal: int32(3) })
const Entry = message({
  source: string(1),
  timeNano: int64(2),
  line: bytes(3),
  partial: bool(4),
  part: nested(5, Part),
})

const lengthBytes = 4
const maxEntryBytes = 1024 * 1024
const nanosPerSecond = 1_000_000_000n

export function encodeLine({ log, stream, time, part }: LogLine): Buffer {
  const entry = Entry.encode({
    source: stream,
    timeNano: nanosOf(time),
    line: Buffer.from(log),
    ...(part === undefined ? {} : { partial: true, part: { last: part.isLast, id: part.id, ordinal: part.ordinal } }),
  })
  const framed = Buffer.alloc(lengthBytes + entry.length)
  framed.writeUInt32BE(entry.length)
  framed.set(entry, lengthBytes)
  return framed
}

/** What a plugin kept, as it comes. */
export async function* decodeEntries(from: Readable): AsyncGenerator<LogEntry> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of from as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (rest.length - at >= lengthBytes) {
      const length = rest.readUInt32BE(at)
      if (length > maxEntryBytes) throw systemError(`LogDriver.ReadLogs: a line has more than ${maxEntryBytes} bytes`)
      if (rest.length - at - lengthBytes < length) break
      yield readEntry(rest.subarray(at + lengthBytes, at + lengthBytes + length))
      at += lengthBytes + length
    }
    rest = rest.subarray(at)
  }
}

function readEntry(encoded: Buffer): LogEntry {
  const { source, timeNano, line, partial, part } = Entry.decode(encoded)
  const text = Buffer.from(line).toString('utf8')
  const isEnded = !partial || part?.last === true
  return {
    log: isEnded && !text.endsWith('\n') ? `${text}\n` : text,
    stream: source === 'stderr' ? 'stderr' : 'stdout',
    time: timeOf(timeNano),
  }
}

function nanosOf(time: string): bigint {
  const [seconds = '', fraction = ''] = time.replace(/Z$/, '').split('.')
  const whole = Date.parse(`${seconds}Z`)
  return BigInt(Number.isNaN(whole) ? 0 : whole / 1000) * nanosPerSecond + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

function timeOf(nanos: bigint): string {
  const seconds = new Date(Number(nanos / nanosPerSecond) * 1000).toISOString().slice(0, '2026-11-15T22:01:13'.length)
  return `${seconds}.${String(nanos % nanosPerSecond).padStart(9, '0')}Z`
}

// Replies of Redis as values.
import { ProtocolError } from '../proxy/resp/frame-scanner.ts'

export type Reply = string | number | null | Reply[]

/** An error the server answered with. Its first word is its kind: ERR, NOPERM, READONLY … */
export class RedisError extends Error {
  override readonly name = 'RedisError'
}

/** Reads one whole frame of RESP2. An error inside a list stays a value: it belongs to one of several commands. */
export function readReply(frame: Buffer): Reply {
  const reader = { frame, at: 0 }
  const reply = readNext(reader)
  if (reply instanceof RedisError) throw reply
  return reply
}

interface Reader {
  frame: Buffer
  at: number
}

function readNext(reader: Reader): Reply | RedisError {
  const { frame } = reader
  const type = String.fromCharCode(frame[reader.at] as number)
  const lineEnd = frame.indexOf('\r\n', reader.at)
  const line = frame.toString('utf8', reader.at + 1, lineEnd)
  reader.at = lineEnd + 2
  if (type === '+') return line
  if (type === '-') return new RedisError(line)
  if (type === ':') return Number(line)
  if (type === '$') return readBulk(reader, Number(line))
  if (type === '*') return readList(reader, Number(line))
  throw new ProtocolError(`A reply of a kind that was not asked for: ${type}`)
}

function readBulk(reader: Reader, length: number): string | null {
  if (length < 0) return null
  const text = reader.frame.toString('utf8', reader.at, reader.at + length)
  reader.at += length + 2
  return text
}

function readList(reader: Reader, length: number): Reply[] | null {
  if (length < 0) return null
  return Array.from({ length }, () => {
    const element = readNext(reader)
    return element instanceof RedisError ? `-${element.message}` : element
  })
}

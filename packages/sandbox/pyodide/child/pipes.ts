// The child's ends of its two pipes. Both block: while Python runs there is no event loop to wait with.
import { readSync, writeSync } from 'node:fs'
import { type Command, encodeFrame, type Frame, type Reply, readPrefix } from '../frames.ts'

const commandsFd = 0
const repliesFd = 3
const maxCommandBytes = 2 ** 31

/** Undefined when the server has gone. */
export function readCommand(): Frame<Command> | undefined {
  const prefix = readExactly(8)
  if (prefix === undefined) return undefined
  const { headerLength, length } = readPrefix(prefix, maxCommandBytes)
  const header = readExactly(headerLength)
  const bytes = readExactly(length)
  if (header === undefined || bytes === undefined) return undefined
  return { header: JSON.parse(header.toString('utf8')) as Command, bytes }
}

export function sendReply(reply: Reply, bytes?: Uint8Array): void {
  for (const part of encodeFrame(reply, bytes)) writeAll(part)
}

function readExactly(length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const count = readSync(commandsFd, buffer, at, length - at, null)
    if (count === 0) return undefined
    at += count
  }
  return buffer
}

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(repliesFd, bytes, at, bytes.length - at)
}

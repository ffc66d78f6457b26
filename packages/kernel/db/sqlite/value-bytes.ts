// What values weigh, roughly: enough to bound what is gathered and sent.
import type { Value } from './protocol.ts'

/** Beside its text or its bytes. */
const valueBytes = 16

export function bytesOf(values: readonly Value[]): number {
  let bytes = 0
  for (const value of values) bytes += byteSize(value)
  return bytes
}

export function byteSize(value: Value): number {
  if (typeof value === 'string') return valueBytes + value.length
  return value instanceof Uint8Array ? valueBytes + value.byteLength : valueBytes
}

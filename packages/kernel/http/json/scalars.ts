// Numbers, true, false and null.
import { JsonInvalid } from './bounds.ts'

const zero = 0x30
const nine = 0x39
/** Fewer digits than these make an exact whole number, one after the other. */
const maxPlainDigits = 15

/** Letters, digits, `+`, `-` and `.`: no such token ends within them. */
export const isScalarByte = (byte: number): boolean =>
  (byte >= zero && byte <= nine) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x2b ||
  byte === 0x45

export function readScalar(bytes: Buffer, start: number, end: number): number | boolean | null {
  let plain = 0
  const first = bytes[start] as number
  const isPlain = end - start <= maxPlainDigits && (first !== zero || end - start === 1)
  for (let at = start; isPlain && at < end; at++) {
    const byte = bytes[at] as number
    if (byte < zero || byte > nine) return parse(bytes.toString('latin1', start, end))
    plain = plain * 10 + byte - zero
  }
  return isPlain ? plain : parse(bytes.toString('latin1', start, end))
}

/** Without a quote or a bracket there is nothing else that it could make of it. */
function parse(text: string): number | boolean | null {
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonInvalid()
  }
}

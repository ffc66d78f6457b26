// Text is UTF-8 (ASCII is), or UTF-16 with or without a byte order mark.

/** Control characters that text does not have, but for a few. */
const maxControlShare = 0.02
/** Of the bytes of ordinary UTF-16 text one in two is zero, always on the same side. */
const minZeroShare = 0.3

/** Of the file whose beginning this is; undefined when that is no text. */
export function detectEncoding(sample: Uint8Array, isWhole: boolean): string | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  if (sample.includes(0)) return unmarkedUtf16(sample)
  return isUtf8(sample, isWhole) && !hasManyControls(sample) ? 'utf-8' : undefined
}

function isUtf8(sample: Uint8Array, isWhole: boolean): boolean {
  try {
    // A character may go on after the sample.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: !isWhole })
    return true
  } catch {
    return false
  }
}

function hasManyControls(sample: Uint8Array): boolean {
  let controls = 0
  // Backspace to carriage return, and escape, are found in logs and manuals.
  for (const byte of sample) if ((byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) || byte === 127) controls++
  return controls > sample.length * maxControlShare
}

function unmarkedUtf16(sample: Uint8Array): string | undefined {
  let even = 0
  let odd = 0
  for (const [index, byte] of sample.entries()) if (byte === 0) index % 2 === 0 ? even++ : odd++
  const pairs = sample.length / 2
  if (odd > pairs * minZeroShare && even < pairs * maxControlShare) return 'utf-16le'
  if (even > pairs * minZeroShare && odd < pairs * maxControlShare) return 'utf-16be'
  return undefined
}

/** The text of bytes as they come. Throws a TypeError at bytes that are none. */
export async function* decode(pieces: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

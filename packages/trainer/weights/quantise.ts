// Numbers as a tensor's file writes them down: the ways back of those that lose little.
const blockItems = 32
const blockBytes = 2 + blockItems
const mostSteps = 127

type Writer = (numbers: Float32Array) => Uint8Array

const writers: Record<number, Writer> = {
  0: (numbers) => new Uint8Array(Float32Array.from(numbers).buffer),
  1: (numbers) => new Uint8Array(Float16Array.from(numbers).buffer),
  8: writeBytes,
  30: writeShortened,
}

/** The way in which numbers that were read as `kind` are written: the same, or Q8_0 where that would lose too much. */
export const writtenAs = (kind: number): number => (kind in writers ? kind : 8)

/** `kind` is one of those that `writtenAs` gives. */
export const quantise = (kind: number, numbers: Float32Array): Uint8Array => (writers[kind] ?? writeBytes)(numbers)

/** Q8_0: 32 numbers with a scale of their own. */
function writeBytes(numbers: Float32Array): Uint8Array {
  const bytes = new Uint8Array((numbers.length / blockItems) * blockBytes)
  const view = new DataView(bytes.buffer)
  for (let from = 0, at = 0; from < numbers.length; from += blockItems, at += blockBytes) {
    let most = 0
    for (let item = 0; item < blockItems; item++) most = Math.max(most, Math.abs(numbers[from + item]!))
    view.setFloat16(at, most / mostSteps, true)
    const scale = view.getFloat16(at, true)
    for (let item = 0; item < blockItems; item++) {
      const steps = scale === 0 ? 0 : Math.round(numbers[from + item]! / scale)
      view.setInt8(at + 2 + item, Math.min(mostSteps, Math.max(-mostSteps, steps)))
    }
  }
  return bytes
}

/** BF16: the first half of a number of four bytes, rounded. */
function writeShortened(numbers: Float32Array): Uint8Array {
  const whole = new Uint32Array(Float32Array.from(numbers).buffer)
  const halves = Uint16Array.from(whole, (bits) => (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16)
  return new Uint8Array(halves.buffer)
}

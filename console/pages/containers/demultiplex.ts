// The engine tells the two outputs of a container without a terminal in frames: a byte for which, three of nothing, four
// for the length, then so many bytes. With a terminal there are none.

const headBytes = 8

export class Frames {
  #kept = new Uint8Array(0)

  /** What is whole of it now. A frame that has begun is given piece by piece: it may be as long as it likes. */
  push(piece: Uint8Array): Uint8Array[] {
    const bytes = this.#kept.length === 0 ? piece : joined(this.#kept, piece)
    const out: Uint8Array[] = []
    let at = 0
    for (;;) {
      if (this.#left > 0) {
        const end = Math.min(bytes.length, at + this.#left)
        if (end > at) out.push(bytes.subarray(at, end))
        this.#left -= end - at
        at = end
      }
      if (bytes.length - at < headBytes) break
      this.#left = new DataView(bytes.buffer, bytes.byteOffset + at + 4, 4).getUint32(0)
      at += headBytes
      if (this.#left === 0) continue
    }
    this.#kept = bytes.slice(at)
    return out
  }

  #left = 0
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  const all = new Uint8Array(before.length + after.length)
  all.set(before)
  all.set(after, before.length)
  return all
}

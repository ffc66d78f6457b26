// What the server and a Python process say to each other: frames of a small JSON header and bytes. Not Node's own
// channel between processes, which lets a child do more than send data.
const prefixBytes = 8
const maxHeaderBytes = 16 * 1024

/** To the Python process. `put`: the bytes are a file. `run`: the bytes are code. */
export type Command = { do: 'put'; name: string } | { do: 'run' }

/** From the Python process. */
export type Reply =
  | { is: 'ready' }
  | { is: 'snapshot' }
  | { is: 'logs' }
  | { is: 'image'; name: string }
  | { is: 'file'; name: string }
  | { is: 'stored' }
  | { is: 'refused'; why: string }
  /** `fatal`: Python can do no more, and why. */
  | { is: 'ended'; fatal?: string }

export interface Frame<Header> {
  header: Header
  bytes: Uint8Array
}

export function encodeFrame(header: Command | Reply, bytes: Uint8Array = new Uint8Array()): [Buffer, Uint8Array] {
  const text = Buffer.from(JSON.stringify(header))
  const head = Buffer.alloc(prefixBytes + text.length)
  head.writeUInt32BE(text.length, 0)
  head.writeUInt32BE(bytes.length, 4)
  text.copy(head, prefixBytes)
  return [head, bytes]
}

/** Lengths of header and bytes; throws on what no honest sender sends. */
export function readPrefix(prefix: Buffer, maxBytes: number): { headerLength: number; length: number } {
  const headerLength = prefix.readUInt32BE(0)
  const length = prefix.readUInt32BE(4)
  if (headerLength > maxHeaderBytes || length > maxBytes) throw new Error('a frame is too large')
  return { headerLength, length }
}

/** Puts frames together from a stream's chunks. */
export class FrameReader<Header> {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #length = 0
  #wanted = prefixBytes
  #sizes: { headerLength: number; length: number } | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): Frame<Header>[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const frames: Frame<Header>[] = []
    while (this.#length >= this.#wanted) {
      const part = this.#take(this.#wanted)
      if (this.#sizes === undefined) {
        this.#sizes = readPrefix(part, this.#maxBytes)
        this.#wanted = this.#sizes.headerLength + this.#sizes.length
      } else {
        const { headerLength } = this.#sizes
        const header = JSON.parse(part.toString('utf8', 0, headerLength)) as Header
        frames.push({ header, bytes: part.subarray(headerLength) })
        this.#sizes = undefined
        this.#wanted = prefixBytes
      }
    }
    return frames
  }

  #take(length: number): Buffer {
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
    const rest = all.subarray(length)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#length = rest.length
    return all.subarray(0, length)
  }
}

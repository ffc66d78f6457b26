// Reads a file from its start through a window: what is skipped is never read, and no more is ever held than asked for.
import type { FileHandle } from 'node:fs/promises'
import { GgufProblem } from './problem.ts'

const windowBytes = 64 * 1024
/** The head of a real model file, vocabulary and all, is below 50 MB. */
const maxReadBytes = 256 * 1024 * 1024

export class ByteWindow {
  readonly #file: FileHandle
  readonly #size: number
  #bytes: Buffer = Buffer.alloc(0)
  /** Where in the file the window begins. */
  #start = 0
  #at = 0
  #readBytes = 0

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  get position(): number {
    return this.#start + this.#at
  }

  /** That so many bytes are left in the file; `what` names them in the error. */
  mustHold(bytes: number, what: string): void {
    if (bytes <= this.#size - this.position) return
    throw new GgufProblem(
      `cut off: the file ends after ${this.#size} bytes, inside ${what}. Get the file again, or a whole copy of it.`,
    )
  }

  /** True when so many bytes can be taken without waiting. */
  has(bytes: number): boolean {
    return this.#at + bytes <= this.#bytes.length
  }

  async fill(bytes: number, what: string): Promise<void> {
    if (this.has(bytes)) return
    this.mustHold(bytes, what)
    this.#start = this.position
    this.#at = 0
    const wanted = Math.min(Math.max(bytes, windowBytes), this.#size - this.#start)
    this.#readBytes += wanted
    if (this.#readBytes > maxReadBytes) {
      throw new GgufProblem(`its head is larger than ${maxReadBytes} bytes: this cannot be a model`)
    }
    const buffer = Buffer.alloc(wanted)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await this.#file.read(buffer, filled, wanted - filled, this.#start + filled)
      if (bytesRead === 0) throw new GgufProblem(`cut off: the file became shorter while ${what} was read`)
      filled += bytesRead
    }
    this.#bytes = buffer.subarray(0, filled)
  }

  skip(bytes: number, what: string): void {
    this.mustHold(bytes, what)
    if (this.has(bytes)) {
      this.#at += bytes
      return
    }
    this.#start = this.position + bytes
    this.#at = 0
    this.#bytes = Buffer.alloc(0)
  }

  /** The next bytes of the window; `fill` comes first. */
  take(bytes: number): Buffer {
    this.#at += bytes
    return this.#bytes.subarray(this.#at - bytes, this.#at)
  }

  async u32(what: string): Promise<number> {
    await this.fill(4, what)
    return this.take(4).readUInt32LE()
  }

  /** A count, a length or a dimension. */
  async u64(what: string): Promise<number> {
    await this.fill(8, what)
    return this.takeU64(what)
  }

  takeU64(what: string): number {
    const bytes = this.take(8)
    const value = bytes.readUInt32LE(4) * 2 ** 32 + bytes.readUInt32LE()
    if (Number.isSafeInteger(value)) return value
    throw new GgufProblem(`damaged: ${what} has a length of ${value}, which cannot be`)
  }

  /** At most so many texts with their lengths before them, as far as they lie in the window. One loop, and no objects. */
  passTexts(atMost: number): { count: number; longest: number } {
    const { buffer, byteOffset, length: end } = this.#bytes
    const view = new DataView(buffer, byteOffset, end)
    let at = this.#at
    let count = 0
    let longest = 0
    while (count < atMost && at + 8 <= end) {
      const bytes = view.getUint32(at, true)
      if (bytes > end - at - 8 || view.getUint32(at + 4, true) !== 0) break
      if (bytes > longest) longest = bytes
      at += 8 + bytes
      count++
    }
    this.#at = at
    return { count, longest }
  }

  async text(maxBytes: number, what: string): Promise<string> {
    const length = await this.u64(what)
    this.mustHold(length, what)
    if (length > maxBytes) throw new GgufProblem(`${what} has ${length} bytes; at most ${maxBytes} are read`)
    await this.fill(length, what)
    return this.take(length).toString('utf8')
  }
}

// Reads a file's lines forwards, as far as they are written, and goes on when there are more.
import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 64 * 1024
/** The shim writes lines of at most 16 KiB of text; even escaped they stay below this. */
export const maxLineBytes = 1024 * 1024
export const newline = 10

export class LineCursor {
  readonly #handle: FileHandle
  /** Where the next read begins. */
  #position: number
  /** The beginning of a line whose end has not been read. */
  #rest: Buffer[] = []
  #restBytes = 0
  #isSkipping = false
  /** Nothing is read from there on; asked before each read. */
  readonly #end: () => number

  constructor(handle: FileHandle, position = 0, end = () => Number.POSITIVE_INFINITY) {
    this.#handle = handle
    this.#position = position
    this.#end = end
  }

  /** Behind the last line that was given out. */
  get lineEnd(): number {
    return this.#position - this.#restBytes
  }

  /** Some more lines, without their ends; undefined when all that is written has been read. */
  async next(): Promise<Buffer[] | undefined> {
    for (;;) {
      const wanted = Math.min(chunkBytes, this.#end() - this.#position)
      if (wanted <= 0) return undefined
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(wanted), 0, wanted, this.#position)
      if (bytesRead === 0 && !(await this.#wasCut())) return undefined
      this.#position += bytesRead
      const lines = this.#split(buffer.subarray(0, bytesRead))
      if (lines.length > 0) return lines
    }
  }

  /** A log of one file is emptied when it is full. */
  async #wasCut(): Promise<boolean> {
    const { size } = await this.#handle.stat()
    if (size >= this.#position) return false
    this.#position = 0
    this.#keep(undefined)
    return size > 0
  }

  #split(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const line = chunk.subarray(from, end)
      if (!this.#isSkipping) lines.push(this.#restBytes > 0 ? Buffer.concat([...this.#rest, line]) : line)
      this.#keep(undefined)
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
    return lines
  }

  #keep(part: Buffer | undefined): void {
    if (part === undefined) this.#isSkipping = false
    else if (this.#restBytes + part.length > maxLineBytes) this.#isSkipping = true
    if (part === undefined || this.#isSkipping) {
      this.#rest = []
      this.#restBytes = 0
      return
    }
    this.#rest.push(part)
    this.#restBytes += part.length
  }
}

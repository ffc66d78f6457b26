// Reads server-sent events from pieces of bytes, cut anywhere, and gives the data of each event as text.
const lineFeed = 10
const carriageReturn = 13
const colon = 58
const space = 32
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const fieldName = Buffer.from('data')

export class EventTooLarge extends Error {}

export class SseReader {
  readonly #maxEventBytes: number
  #piece: Buffer = Buffer.alloc(0)
  #at = 0
  /** The beginning of a line whose end is still to come. */
  #begun: Buffer[] = []
  #begunBytes = 0
  #data: string | undefined
  #dataBytes = 0
  #atStart = true

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  /** Only once `next` has said that the last piece is used up. */
  push(piece: Buffer): void {
    this.#piece = piece
    this.#at = 0
  }

  /** The data of the next whole event; undefined when more bytes are needed. */
  next(): string | undefined {
    while (this.#at < this.#piece.length) {
      const end = this.#piece.indexOf(lineFeed, this.#at)
      if (end < 0) {
        this.#keep(this.#piece.subarray(this.#at))
        this.#at = this.#piece.length
        return undefined
      }
      const line = this.#line(end)
      this.#at = end + 1
      const data = this.#take(line)
      if (data !== undefined) return data
    }
    return undefined
  }

  #keep(bytes: Buffer): void {
    this.#begun.push(bytes)
    this.#begunBytes += bytes.length
    this.#limit(this.#begunBytes)
  }

  #line(end: number): Buffer {
    let line = this.#piece.subarray(this.#at, end)
    if (this.#begun.length > 0) {
      line = Buffer.concat([...this.#begun, line])
      this.#begun = []
      this.#begunBytes = 0
    }
    if (this.#atStart) {
      this.#atStart = false
      if (line.subarray(0, 3).equals(byteOrderMark)) line = line.subarray(3)
    }
    return line.length > 0 && line[line.length - 1] === carriageReturn ? line.subarray(0, -1) : line
  }

  #take(line: Buffer): string | undefined {
    if (line.length === 0) {
      const data = this.#data
      this.#data = undefined
      this.#dataBytes = 0
      return data
    }
    if (!isData(line)) return undefined // a comment, or a field that says nothing here
    this.#dataBytes += line.length
    this.#limit(this.#dataBytes)
    const text = line.toString('utf8', line[5] === space ? 6 : 5)
    this.#data = this.#data === undefined ? text : `${this.#data}\n${text}`
    return undefined
  }

  #limit(bytes: number): void {
    if (bytes > this.#maxEventBytes) throw new EventTooLarge()
  }
}

const isData = (line: Buffer): boolean =>
  line[0] === fieldName[0] &&
  line[1] === fieldName[1] &&
  line[2] === fieldName[2] &&
  line[3] === fieldName[3] &&
  (line.length === 4 || line[4] === colon)

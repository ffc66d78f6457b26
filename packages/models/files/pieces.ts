// Which parts of a file are there and which are still to fetch. A piece is what is made durable at once.
export interface Run {
  /** The first byte, at the start of a piece, and the one after the last. */
  start: number
  end: number
}

/** One request asks for no more. */
const maxRunPieces = 16

export class Pieces {
  readonly bytes: number
  readonly pieceBytes: number
  readonly #done: Set<number>
  readonly #waiting: Set<number>

  /** `done` are the first and the last piece of each stretch that is there. */
  constructor(bytes: number, pieceBytes: number, done: readonly (readonly [number, number])[] = []) {
    this.bytes = bytes
    this.pieceBytes = pieceBytes
    const count = Math.ceil(bytes / pieceBytes)
    this.#done = new Set()
    for (const [first, last] of done) {
      for (let piece = first; piece <= Math.min(last, count - 1); piece++) this.#done.add(piece)
    }
    this.#waiting = new Set()
    for (let piece = 0; piece < count; piece++) if (!this.#done.has(piece)) this.#waiting.add(piece)
  }

  get doneBytes(): number {
    const count = Math.ceil(this.bytes / this.pieceBytes)
    const full = this.#done.size * this.pieceBytes
    return this.#done.has(count - 1) ? full - (count * this.pieceBytes - this.bytes) : full
  }

  /** The next stretch to fetch: shorter towards the end, so that all connections end together. */
  take(connections: number): Run | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const most = Math.min(maxRunPieces, Math.ceil(this.#waiting.size / (2 * connections)))
    let end = first
    while (end - first < most && this.#waiting.delete(end)) end++
    return { start: first * this.pieceBytes, end: Math.min(end * this.pieceBytes, this.bytes) }
  }

  /** All bytes from `from` to `to` are there; returns whether a piece became complete. */
  advance(from: number, to: number): boolean {
    const before = this.#done.size
    const reached = to >= this.bytes ? Math.ceil(to / this.pieceBytes) : Math.floor(to / this.pieceBytes)
    for (let piece = Math.floor(from / this.pieceBytes); piece < reached; piece++) this.#done.add(piece)
    return this.#done.size > before
  }

  doneStretches(): [number, number][] {
    const stretches: [number, number][] = []
    for (const piece of [...this.#done].sort((one, other) => one - other)) {
      const last = stretches.at(-1)
      if (last && last[1] === piece - 1) last[1] = piece
      else stretches.push([piece, piece])
    }
    return stretches
  }
}

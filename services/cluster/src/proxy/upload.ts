// A long command on its way: it passes piece by piece, and what has passed is kept, so that another shard can be told
// it again. The server does nothing before it has the whole command.
import { FrameScanner } from './resp/frame-scanner.ts'

/** Pieces that are smaller are copied together: each would cost more than it holds. */
const smallBytes = 8 * 1024
const slabBytes = 64 * 1024

/** What all clients of an endpoint may have kept for them together. */
export class UploadBudget {
  #leftBytes: number

  constructor(bytes: number) {
    this.#leftBytes = bytes
  }

  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false
    this.#leftBytes -= bytes
    return true
  }

  give(bytes: number): void {
    this.#leftBytes += bytes
  }
}

export class Upload {
  readonly #budget: UploadBudget
  readonly #scanner = new FrameScanner()
  /** Undefined when there was no room for it. */
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #slab = Buffer.alloc(0)
  #slabLength = 0
  bytes = 0

  constructor(budget: UploadBudget) {
    this.#budget = budget
  }

  /** All that has passed, where it could be kept. */
  get kept(): Buffer[] | undefined {
    return this.#kept === undefined ? undefined : [...this.#kept, this.#slab.subarray(0, this.#slabLength)]
  }

  get isKept(): boolean {
    return this.#kept !== undefined
  }

  /** Where it ends in this piece, or -1 when it goes on. Throws ProtocolError. */
  pass(chunk: Buffer): number {
    const end = this.#scanner.next(chunk, 0)
    const piece = end < 0 ? chunk : chunk.subarray(0, end)
    this.bytes += piece.length
    this.#keep(piece)
    return end
  }

  /** It is over, or nobody will ask for it. */
  forget(): void {
    this.#budget.give(this.#keptBytes)
    this.#keptBytes = 0
    this.#kept = undefined
  }

  #keep(piece: Buffer): void {
    if (this.#kept === undefined) return
    if (!this.#budget.take(piece.length)) {
      this.forget()
      return
    }
    this.#keptBytes += piece.length
    if (piece.length >= smallBytes) {
      this.#closeSlab()
      this.#kept.push(piece)
      return
    }
    if (this.#slabLength + piece.length > this.#slab.length) {
      this.#closeSlab()
      this.#slab = Buffer.alloc(slabBytes)
    }
    this.#slabLength += piece.copy(this.#slab, this.#slabLength)
  }

  #closeSlab(): void {
    if (this.#slabLength > 0) this.#kept?.push(this.#slab.subarray(0, this.#slabLength))
    this.#slab = Buffer.alloc(0)
    this.#slabLength = 0
  }
}

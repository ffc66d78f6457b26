// What sentences.bin holds, as training/moderation/take-sentence-model.py wrote it.

/** The model reads no further. */
export const maxWindowPieces = 128
export const sentenceNumbers = 512
export const heads = 4
const firstWidth = 256
const hidden = 1_536

/** One byte a number, and a scale for each row. */
export interface ByteTable {
  scales: Float32Array
  bytes: Int8Array
}

export interface Linear {
  inputs: number
  /** A row for each output. */
  table: ByteTable
  offsets: Float32Array
}

export interface Norm {
  scale: Float32Array
  offset: Float32Array
}

export interface SentenceLayer {
  norm: Norm
  /** What a piece looks for, what it is found by, and what it tells. */
  attention: Linear
  out: Linear
  /** Where the layer is wider than what comes in. */
  widen?: Linear | undefined
  wideNorm: Norm
  wide: Linear
  narrow: Linear
}

export interface SentenceWeights {
  pieces: ByteTable
  /** How fast the waves turn that tell where a piece stands. */
  waves: Float32Array
  layers: readonly SentenceLayer[]
  last: Linear
}

export function readWeights(bytes: Uint8Array, pieceCount: number): SentenceWeights {
  const read = new Reader(bytes)
  const pieces = read.table(pieceCount, firstWidth)
  const waves = read.numbers(firstWidth / 2)
  const layer = (width: number): SentenceLayer => ({
    norm: read.norm(width),
    attention: read.linear(width, 3 * width),
    out: read.linear(width, sentenceNumbers),
    widen: width === sentenceNumbers ? undefined : read.linear(width, sentenceNumbers),
    wideNorm: read.norm(sentenceNumbers),
    wide: read.linear(sentenceNumbers, hidden),
    narrow: read.linear(hidden, sentenceNumbers),
  })
  const layers = [layer(firstWidth), layer(sentenceNumbers)]
  const last = read.linear(sentenceNumbers, sentenceNumbers)
  read.end()
  return { pieces, waves, layers, last }
}

/** Takes one part after the other. */
class Reader {
  readonly #buffer: ArrayBuffer
  #at = 0

  constructor(bytes: Uint8Array) {
    // A copy begins where numbers of four bytes may.
    this.#buffer = Uint8Array.from(bytes).buffer
  }

  numbers(count: number): Float32Array {
    return new Float32Array(this.#buffer, this.#take(4 * count), count)
  }

  table(rows: number, width: number): ByteTable {
    return { scales: this.numbers(rows), bytes: new Int8Array(this.#buffer, this.#take(rows * width), rows * width) }
  }

  /** Kept by output, then by input. */
  linear(inputs: number, outputs: number): Linear {
    return { inputs, table: this.table(outputs, inputs), offsets: this.numbers(outputs) }
  }

  norm(width: number): Norm {
    return { scale: this.numbers(width), offset: this.numbers(width) }
  }

  end(): void {
    if (this.#at !== this.#buffer.byteLength) throw damaged()
  }

  #take(bytes: number): number {
    const from = this.#at
    this.#at += bytes
    if (this.#at > this.#buffer.byteLength) throw damaged()
    return from
  }
}

const damaged = (): Error => new Error('the weights of the sentence encoder are damaged or of another version')

// The sentence encoder's files: sentences.json tells the pieces of words it knows, sentences.bin has the numbers as
// training/moderation/take-sentence-model.py wrote them.
import { readFile } from 'node:fs/promises'
import {
  type ByteTable,
  type Linear,
  maxWindowPieces,
  type Norm,
  type SentenceLayer,
  SentenceNetwork,
  toPanels,
} from './sentence-network.ts'
import type { Vocabulary } from './word-pieces.ts'

export { maxWindowPieces }
export const sentenceNumbers = 512
const firstWidth = 256
const hidden = 1_536

const file = (name: string): URL => new URL(`../../../../../weights/moderation/${name}`, import.meta.url)

export interface SentenceModel {
  vocabulary: Vocabulary
  /** Numbers of length 1 for a window of pieces. */
  run(window: readonly number[]): Float32Array
}

export async function loadSentenceModel(): Promise<SentenceModel> {
  const [json, bytes] = await Promise.all([readFile(file('sentences.json'), 'utf8'), readFile(file('sentences.bin'))])
  const vocabulary: Vocabulary = JSON.parse(json)
  const network = await readNetwork(bytes, vocabulary.length)
  return { vocabulary, run: (window) => network.run(window) }
}

export function readNetwork(bytes: Uint8Array, pieceCount: number): Promise<SentenceNetwork> {
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
  return SentenceNetwork.load({ pieces, waves, layers, last })
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
    return { inputs, weights: toPanels(this.table(outputs, inputs), inputs, outputs), offsets: this.numbers(outputs) }
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

// What the first layer gets: a row for each piece, and in it where the piece stands.
import { maxWindowPieces, type SentenceWeights } from './sentence-weights.ts'

export class FirstStates {
  readonly width: number
  readonly #pieces: SentenceWeights['pieces']
  readonly #places: Float32Array

  constructor({ pieces, waves }: SentenceWeights) {
    this.#pieces = pieces
    this.width = 2 * waves.length
    this.#places = Float32Array.from({ length: maxWindowPieces * this.width }, (_, at) => {
      const [row, wave] = [Math.floor(at / this.width), at % this.width]
      const turn = row * (waves[wave % waves.length] as number)
      return wave < waves.length ? Math.sin(turn) : Math.cos(turn)
    })
  }

  of(pieces: readonly number[]): Float32Array {
    const { width } = this
    const { scales, bytes } = this.#pieces
    const states = this.#places.slice(0, pieces.length * width)
    for (const [row, piece] of pieces.entries()) {
      const factor = 2 * (scales[piece] as number)
      for (let at = 0; at < width; at++) {
        const place = row * width + at
        states[place] = factor * (bytes[piece * width + at] as number) + (states[place] as number)
      }
    }
    return states
  }
}

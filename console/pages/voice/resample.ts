// Brings sound to another rate piece by piece: each sample is the mean of what it covers, so that nothing folds back
// when there are fewer of them, and lies between its neighbours when there are more.

export class Resampler {
  /** So many samples of the source for one of the target. */
  readonly #step: number
  /** Where the next target sample begins, counted from the first sample of what comes next. */
  #at = 0
  /** What of that sample lies in pieces that are gone. */
  #sum = 0
  #last = 0

  constructor(from: number, to: number) {
    this.#step = from / to
  }

  /** Of any length; what is left over counts with the next. */
  take(piece: Float32Array): Float32Array {
    const made: number[] = []
    let end = this.#at + this.#step
    while (end <= piece.length) {
      made.push(this.#step < 1 ? this.#between(piece, end) : (this.#sum + area(piece, this.#at, end)) / this.#step)
      this.#sum = 0
      this.#at = end
      end += this.#step
    }
    this.#sum += area(piece, this.#at, piece.length)
    this.#at -= piece.length
    this.#last = piece.at(-1) ?? this.#last
    return Float32Array.from(made)
  }

  #between(piece: Float32Array, end: number): number {
    const index = Math.ceil(end) - 1
    const before = index === 0 ? this.#last : (piece[index - 1] ?? 0)
    const share = end - index
    return before * (1 - share) + (piece[index] ?? 0) * share
  }
}

/** Under the samples from here to there, parts of samples by their share. */
function area(piece: Float32Array, from: number, to: number): number {
  let sum = 0
  for (let index = Math.max(0, Math.floor(from)); index < to && index < piece.length; index++) {
    const share = Math.min(index + 1, to) - Math.max(index, from, 0)
    sum += (piece[index] ?? 0) * share
  }
  return sum
}

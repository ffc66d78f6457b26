// The last layer: how well each token that counts was foreseen, and what would foresee it better. Only those tokens are
// computed, some rows at a time, since a row has a number for every token of the vocabulary.
import type { Weights } from '../model/base-model.ts'
import type { Kernels } from '../wasm/kernels.ts'
import type { Memory, Numbers } from './memory.ts'
import type { Row, RowResult } from './row.ts'
import type { Unpacker } from './unpacker.ts'

const chunkRows = 128
export const blockTokens = 2_048
const lanes = 4
const leastProbability = 1e-30

export class OutputLayer {
  readonly #weights: Weights
  readonly #unpacker: Unpacker
  readonly #kernels: Kernels
  readonly #work: number
  readonly #rowStep: number
  readonly #inputs: Numbers
  readonly #scores: Numbers
  readonly #changes: Numbers
  readonly #block: Numbers
  /** What the untrained model foresees. */
  readonly #wanted: Numbers

  constructor(weights: Weights, unpacker: Unpacker, memory: Memory, kernels: Kernels, work: number) {
    const { vocabulary, width } = weights.shape
    this.#weights = weights
    this.#unpacker = unpacker
    this.#kernels = kernels
    this.#work = work
    this.#rowStep = Math.ceil(vocabulary / lanes) * lanes
    this.#inputs = memory.take(chunkRows * width)
    this.#scores = memory.take(chunkRows * this.#rowStep)
    this.#changes = memory.take(chunkRows * width)
    this.#block = memory.take(Math.min(blockTokens, vocabulary) * width)
    this.#wanted = memory.take(chunkRows * this.#rowStep)
  }

  /** `changes`, where given, gets that of every row's input, times `scale`; rows that do not count are left alone. */
  run(row: Row, states: Numbers, changes: Numbers | undefined, scale: number): RowResult {
    const result: RowResult = { loss: 0, weight: 0, correct: 0, counted: 0 }
    const counting = foreseeing(row).filter((at) => row.weights[at + 1]! > 0)
    for (let first = 0; first < counting.length; first += chunkRows) {
      this.#chunk(row, counting.slice(first, first + chunkRows), states, changes, scale, result)
    }
    return result
  }

  #chunk(
    row: Row,
    places: readonly number[],
    states: Numbers,
    changes: Numbers | undefined,
    scale: number,
    result: RowResult,
  ): void {
    const { vocabulary } = this.#weights.shape
    this.#foresee(places, states)
    const scores = this.#scores.data
    for (const [index, place] of places.entries()) {
      const from = index * this.#rowStep
      const [target, weight] = [row.tokens[place + 1]!, row.weights[place + 1]!]
      result.counted++
      result.weight += weight
      if (isLargest(scores, from, vocabulary, target)) result.correct++
      this.#toShares(index)
      result.loss -= weight * Math.log(Math.max(leastProbability, scores[from + target]!))
      scores[from + target]! -= 1
    }
    if (changes !== undefined) this.#changeInputs(places, changes, (place) => scale * row.weights[place + 1]!)
  }

  /** How far what is foreseen is from what the untrained model foresees, over all tokens. */
  difference(row: Row, untrained: Numbers, states: Numbers): number {
    let sum = 0
    this.#compare(row, untrained, states, (_, numbers) => {
      const [wanted, found] = [this.#wanted.data, this.#scores.data]
      for (let at = 0; at < numbers; at++) {
        if (wanted[at]! > 0) sum += wanted[at]! * Math.log(wanted[at]! / Math.max(leastProbability, found[at]!))
      }
    })
    return sum
  }

  /** `changes` gets what would make that less, for every row's input, times `scale`. */
  remind(row: Row, untrained: Numbers, states: Numbers, changes: Numbers, scale: number): void {
    this.#compare(row, untrained, states, (places, numbers) => {
      const [wanted, found] = [this.#wanted.data, this.#scores.data]
      for (let at = 0; at < numbers; at++) found[at]! -= wanted[at]!
      this.#changeInputs(places, changes, () => scale)
    })
  }

  /** Some rows at a time: `#wanted` and `#scores` have the shares that each token gets. */
  #compare(
    row: Row,
    untrained: Numbers,
    states: Numbers,
    take: (places: readonly number[], numbers: number) => void,
  ): void {
    const all = foreseeing(row)
    for (let first = 0; first < all.length; first += chunkRows) {
      const places = all.slice(first, first + chunkRows)
      for (const from of [untrained, states]) {
        this.#foresee(places, from)
        for (const index of places.keys()) this.#toShares(index)
        if (from === untrained) this.#wanted.data.set(this.#scores.data.subarray(0, places.length * this.#rowStep))
      }
      take(places, places.length * this.#rowStep)
    }
  }

  #foresee(places: readonly number[], states: Numbers): void {
    const { width } = this.#weights.shape
    for (const [index, place] of places.entries()) {
      this.#inputs.data.set(states.data.subarray(place * width, (place + 1) * width), index * width)
    }
    this.#score(places.length)
  }

  #toShares(index: number): void {
    this.#kernels.softmax(this.#scores.at + 4 * index * this.#rowStep, this.#weights.shape.vocabulary, this.#rowStep, 1)
  }

  #changeInputs(places: readonly number[], changes: Numbers, factorOf: (place: number) => number): void {
    const { width } = this.#weights.shape
    this.#scoreBack(places.length)
    for (const [index, place] of places.entries()) {
      const factor = factorOf(place)
      for (let at = 0; at < width; at++) {
        changes.data[place * width + at] = factor * this.#changes.data[index * width + at]!
      }
    }
  }

  #score(rows: number): void {
    const { width } = this.#weights.shape
    this.#eachBlock((first, count) =>
      this.#kernels.product(
        ...([rows, count, width, this.#inputs.at, width, 1] as const),
        ...([this.#block.at, 1, width, this.#scores.at + 4 * first, this.#rowStep, 0, this.#work] as const),
      ),
    )
  }

  #scoreBack(rows: number): void {
    const { width } = this.#weights.shape
    this.#eachBlock((first, count) =>
      this.#kernels.product(
        ...([rows, width, count, this.#scores.at + 4 * first, this.#rowStep, 1] as const),
        ...([this.#block.at, width, 1, this.#changes.at, width, first === 0 ? 0 : 1, this.#work] as const),
      ),
    )
  }

  #eachBlock(work: (first: number, count: number) => void): void {
    const { vocabulary } = this.#weights.shape
    for (let first = 0; first < vocabulary; first += blockTokens) {
      const count = Math.min(blockTokens, vocabulary - first)
      this.#unpacker.rows(this.#weights.outputName, first, count, this.#block)
      work(first, count)
    }
  }

  /** The scores of the given rows' last computing: for comparisons. */
  scoresOf(states: Numbers, place: number): Float32Array {
    const { width, vocabulary } = this.#weights.shape
    this.#inputs.data.set(states.data.subarray(place * width, (place + 1) * width), 0)
    this.#score(1)
    return this.#scores.data.slice(0, vocabulary)
  }
}

/** A row foresees the token after it, if that belongs to the same example. */
const foreseeing = ({ segments }: Row): number[] =>
  segments.flatMap(({ start, end }) => Array.from({ length: end - start - 1 }, (_, index) => start + index))

function isLargest(scores: Float32Array, from: number, count: number, target: number): boolean {
  const own = scores[from + target]!
  for (let index = from; index < from + count; index++) if (scores[index]! > own) return false
  return true
}

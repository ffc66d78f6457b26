// Attention of every token to itself and those before it in its own segment. Scores are computed a block of queries at
// a time, and again on the way back instead of being kept.
import type { Shape } from '../model/shape.ts'
import type { Kernels } from '../wasm/kernels.ts'
import type { Memory, Numbers } from './memory.ts'
import type { Segment } from './row.ts'

const block = 128
const lanes = 4

interface Heads {
  queries: Numbers
  keys: Numbers
  values: Numbers
}

export class Attention {
  readonly #kernels: Kernels
  readonly #shape: Shape
  readonly #work: number
  readonly #rowStep: number
  readonly #scores: Numbers
  readonly #changes: Numbers

  constructor(shape: Shape, rowLength: number, memory: Memory, kernels: Kernels, work: number) {
    this.#shape = shape
    this.#kernels = kernels
    this.#work = work
    this.#rowStep = Math.ceil(rowLength / lanes) * lanes
    this.#scores = memory.take(block * this.#rowStep)
    this.#changes = memory.take(block * this.#rowStep)
  }

  forward(heads: Heads, result: Numbers, segments: readonly Segment[]): void {
    const { product } = this.#kernels
    const { headSize } = this.#shape
    const step = this.#rowStep
    this.#eachBlock(segments, ({ rows, keys, query, key, width, sharedWidth }) => {
      this.#score(heads, { rows, keys, query, key })
      product(
        ...([rows, headSize, keys, this.#scores.at, step, 1] as const),
        ...([heads.values.at + key, sharedWidth, 1, result.at + query, width, 0, this.#work] as const),
      )
    })
  }

  /** Given the change of the result, those of queries, keys and values. */
  back(heads: Heads, change: Numbers, changes: Heads, segments: readonly Segment[]): void {
    const { product } = this.#kernels
    const { headSize } = this.#shape
    const step = this.#rowStep
    const work = this.#work
    const [scores, scoreChanges] = [this.#scores.at, this.#changes.at]
    changes.keys.data.fill(0)
    changes.values.data.fill(0)
    this.#eachBlock(segments, ({ rows, keys, query, key, width, sharedWidth }) => {
      this.#score(heads, { rows, keys, query, key })
      const given = change.at + query
      product(keys, headSize, rows, scores, 1, step, given, width, 1, changes.values.at + key, sharedWidth, 1, work)
      product(rows, keys, headSize, given, width, 1, heads.values.at + key, 1, sharedWidth, scoreChanges, step, 0, work)
      this.#softmaxBack(rows, keys)
      const [queries, keyTotal] = [changes.queries.at + query, changes.keys.at + key]
      product(rows, headSize, keys, scoreChanges, step, 1, heads.keys.at + key, sharedWidth, 1, queries, width, 0, work)
      product(
        keys,
        headSize,
        rows,
        scoreChanges,
        1,
        step,
        heads.queries.at + query,
        width,
        1,
        keyTotal,
        sharedWidth,
        1,
        work,
      )
    })
  }

  get #scale(): number {
    return 1 / Math.sqrt(this.#shape.headSize)
  }

  #score(
    { queries, keys: allKeys }: Heads,
    { rows, keys, query, key }: Pick<Block, 'rows' | 'keys' | 'query' | 'key'>,
  ): void {
    const { heads, sharedHeads, headSize } = this.#shape
    const { product, softmax } = this.#kernels
    const step = this.#rowStep
    product(
      ...([rows, keys, headSize, queries.at + query, heads * headSize, 1] as const),
      ...([allKeys.at + key, 1, sharedHeads * headSize, this.#scores.at, step, 0, this.#work] as const),
    )
    const width = Math.ceil(keys / lanes) * lanes
    const before = keys - rows
    for (let row = 0; row < rows; row++) softmax(this.#scores.at + 4 * row * step, before + row + 1, width, this.#scale)
  }

  /** Changes of probabilities become changes of scores. */
  #softmaxBack(rows: number, keys: number): void {
    const width = Math.ceil(keys / lanes) * lanes
    for (let row = 0; row < rows; row++) {
      const from = 4 * row * this.#rowStep
      this.#kernels.softmaxBack(this.#scores.at + from, this.#changes.at + from, width, this.#scale)
    }
  }

  #eachBlock(segments: readonly Segment[], work: (block: Block) => void): void {
    const { heads, sharedHeads, headSize } = this.#shape
    const [width, sharedWidth] = [heads * headSize, sharedHeads * headSize]
    const group = heads / sharedHeads
    for (const { start, end } of segments) {
      for (let head = 0; head < heads; head++) {
        const key = 4 * (start * sharedWidth + Math.floor(head / group) * headSize)
        for (let first = start; first < end; first += block) {
          const rows = Math.min(block, end - first)
          const query = 4 * (first * width + head * headSize)
          work({ rows, keys: first - start + rows, query, key, width, sharedWidth })
        }
      }
    }
  }
}

interface Block {
  /** Queries of this block, and the keys they may look at. */
  rows: number
  keys: number
  /** Where its queries and its keys begin, in bytes. */
  query: number
  key: number
  width: number
  sharedWidth: number
}

// Turns queries and keys by their positions, which begin at 0 in every segment.
import type { Shape } from '../model/shape.ts'
import type { Kernels } from '../wasm/kernels.ts'
import type { Memory, Numbers } from './memory.ts'
import type { Segment } from './row.ts'

export class Rotation {
  readonly #shape: Shape
  readonly #kernels: Kernels
  readonly #cosines: Numbers
  readonly #sines: Numbers
  /** Numbers of a position in the tables. */
  readonly #step: number

  constructor(
    shape: Shape,
    { positions, factors }: { positions: number; factors: Float32Array | undefined },
    memory: Memory,
    kernels: Kernels,
  ) {
    this.#shape = shape
    this.#kernels = kernels
    const { base, size, pairs } = shape.rotation
    const isByHalves = pairs === 'halves'
    this.#step = isByHalves ? size / 2 : size
    this.#cosines = memory.take(positions * this.#step)
    this.#sines = memory.take(positions * this.#step)
    if (this.#cosines.data.length === 0) return
    for (let index = 0; index < size / 2; index++) {
      const speed = base ** ((-2 * index) / size) / (factors?.[index] ?? 1)
      for (let position = 0; position < positions; position++) {
        const [cosine, sine] = [Math.cos(position * speed), Math.sin(position * speed)]
        const at = position * this.#step + (isByHalves ? index : 2 * index)
        this.#cosines.data[at] = cosine
        this.#sines.data[at] = isByHalves ? sine : -sine
        if (isByHalves) continue
        this.#cosines.data[at + 1] = cosine
        this.#sines.data[at + 1] = sine
      }
    }
  }

  /** `direction` -1 turns back. */
  turn(data: Numbers, heads: number, segments: readonly Segment[], direction: 1 | -1): void {
    const { headSize, rotation } = this.#shape
    const turn = rotation.pairs === 'halves' ? this.#kernels.rotateHalves : this.#kernels.rotateNeighbours
    for (const { start, end } of segments) {
      for (let row = start; row < end; row++) {
        const at = 4 * (row - start) * this.#step
        const from = data.at + 4 * row * heads * headSize
        turn(from, heads, headSize, this.#cosines.at + at, this.#sines.at + at, this.#step, direction)
      }
    }
  }
}

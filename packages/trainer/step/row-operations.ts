// What is done with rows of numbers one by one: norms and rotated positions. Each has its way back.
import type { Shape } from '../model/shape.ts'
import type { Segment } from './row.ts'

interface Norm {
  weights: Float32Array
  epsilon: number
}

const inverseSize = (data: Float32Array, from: number, width: number, epsilon: number): number => {
  let sum = 0
  for (let index = from; index < from + width; index++) sum += data[index]! * data[index]!
  return 1 / Math.sqrt(sum / width + epsilon)
}

/** Rows brought to the same size, times the norm's weights. */
export function normalise(input: Float32Array, result: Float32Array, rows: number, { weights, epsilon }: Norm): void {
  const width = weights.length
  for (let row = 0; row < rows; row++) {
    const from = row * width
    const size = inverseSize(input, from, width, epsilon)
    for (let index = 0; index < width; index++) result[from + index] = input[from + index]! * size * weights[index]!
  }
}

/** Adds to `total` what a change of the result means for the input. */
export function normaliseBack(
  input: Float32Array,
  change: Float32Array,
  total: Float32Array,
  rows: number,
  { weights, epsilon }: Norm,
): void {
  const width = weights.length
  for (let row = 0; row < rows; row++) {
    const from = row * width
    const size = inverseSize(input, from, width, epsilon)
    let shared = 0
    for (let index = 0; index < width; index++) {
      shared += change[from + index]! * weights[index]! * input[from + index]!
    }
    shared *= (size * size * size) / width
    for (let index = 0; index < width; index++) {
      total[from + index]! += change[from + index]! * weights[index]! * size - input[from + index]! * shared
    }
  }
}

/** Turns queries and keys by their positions, which begin at 0 in every segment. */
export class Rotation {
  readonly #shape: Shape
  readonly #cosines: Float32Array
  readonly #sines: Float32Array

  constructor(shape: Shape, positions: number, factors: Float32Array | undefined) {
    this.#shape = shape
    const { base, size } = shape.rotation
    const half = size / 2
    this.#cosines = new Float32Array(positions * half)
    this.#sines = new Float32Array(positions * half)
    for (let index = 0; index < half; index++) {
      const speed = base ** ((-2 * index) / size) / (factors?.[index] ?? 1)
      for (let position = 0; position < positions; position++) {
        this.#cosines[position * half + index] = Math.cos(position * speed)
        this.#sines[position * half + index] = Math.sin(position * speed)
      }
    }
  }

  /** `direction` -1 turns back. */
  turn(data: Float32Array, heads: number, segments: readonly Segment[], direction: 1 | -1): void {
    const { headSize, rotation } = this.#shape
    const half = rotation.size / 2
    const [step, distance] = rotation.pairs === 'halves' ? [1, half] : [2, 1]
    for (const { start, end } of segments) {
      for (let row = start; row < end; row++) {
        const table = (row - start) * half
        for (let head = 0; head < heads; head++) {
          const from = (row * heads + head) * headSize
          for (let index = 0; index < half; index++) {
            const [cosine, sine] = [this.#cosines[table + index]!, direction * this.#sines[table + index]!]
            const first = from + step * index
            const [x, y] = [data[first]!, data[first + distance]!]
            data[first] = x * cosine - y * sine
            data[first + distance] = x * sine + y * cosine
          }
        }
      }
    }
  }
}

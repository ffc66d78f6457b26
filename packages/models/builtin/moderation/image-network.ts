// The layers of the image model, MobileNet v2: a pixel's channels lie side by side. All numbers are in the kernels'
// memory: the weights, two fields that take turns as input and output, and what a later layer adds to its own.
import { compileKernels, type MatrixKernels } from './matrix-kernels.ts'

export interface Layer {
  kind: 'convolution' | 'depthwise' | 'dense'
  /** Height, width, channels in, channels out; of `dense` the last two alone. */
  shape: readonly number[]
  stride: number
  /** Cut off below 0 and above 6. */
  bounded: boolean
  /** Where the layer whose output is added to this one's stands in the list. */
  plus?: number
  weights: Float32Array
  offsets: Float32Array
}

interface Field {
  side: number
  channels: number
  /** Where it begins, in bytes. */
  at: number
}

interface Placed extends Layer {
  weightsAt: number
  offsetsAt: number
}

/** The largest field, some room for the pixels that make a row of four complete, and for 3 × 3 surroundings. */
const fieldBytes = 4 * 112 * 112 * 160
const bytesPerNumber = 4

export class ImageNetwork {
  readonly #layers: readonly Placed[]
  readonly #kernels: MatrixKernels
  readonly #numbers: Float32Array
  readonly #free: readonly number[]

  static async load(layers: readonly Layer[]): Promise<ImageNetwork> {
    const numbers = layers.reduce((sum, { weights, offsets }) => sum + weights.length + offsets.length, 0)
    return new ImageNetwork(layers, await compileKernels(numbers * bytesPerNumber + 3 * fieldBytes + 1_024))
  }

  private constructor(layers: readonly Layer[], kernels: MatrixKernels) {
    this.#kernels = kernels
    this.#numbers = new Float32Array(kernels.memory.buffer)
    let at = 0
    const place = (values: Float32Array): number => {
      const from = at
      this.#numbers.set(values, from / bytesPerNumber)
      at += values.length * bytesPerNumber
      return from
    }
    this.#layers = layers.map((layer) => ({
      ...layer,
      weightsAt: place(layer.weights),
      offsetsAt: place(layer.offsets),
    }))
    this.#free = [at, at + fieldBytes, at + 2 * fieldBytes]
  }

  /** The last layer's numbers. Asks between layers whether to go on. */
  async run(side: number, pixels: Float32Array, between: () => Promise<void>): Promise<Float32Array> {
    const [first = 0, second = 0, kept = 0] = this.#free
    const needed = new Set(this.#layers.map(({ plus }) => plus))
    let field: Field = { side, channels: pixels.length / (side * side), at: first }
    this.#view(field).set(pixels)
    for (const [at, layer] of this.#layers.entries()) {
      const target = field.at === first ? second : first
      if (layer.kind === 'dense') return this.#dense(layer, field)
      field = this.#runLayer(layer, field, target)
      if (layer.plus !== undefined) this.#add(field, { ...field, at: kept })
      if (needed.has(at)) this.#view({ ...field, at: kept }).set(this.#view(field))
      await between()
    }
    return this.#view(field).slice()
  }

  #runLayer(layer: Placed, field: Field, at: number): Field {
    const out =
      layer.kind === 'depthwise'
        ? this.#depthwise(layer, field, at)
        : this.#multiply(layer, layer.shape[0] === 1 ? field : this.#surroundings(layer, field), at)
    if (layer.bounded) this.#kernels.bound(out.at, bytesOf(out))
    return out
  }

  #multiply({ shape, weightsAt, offsetsAt }: Placed, { side, channels, at: from }: Field, to: number): Field {
    const outs = shape.at(-1) as number
    const row = 4 * bytesPerNumber
    for (let pixel = 0; pixel < side * side; pixel += 4) {
      const [values, result] = [from + (pixel / 4) * row * channels, to + (pixel / 4) * row * outs]
      this.#kernels.multiply(values, weightsAt, result, channels, outs, offsetsAt, outs)
    }
    return { side, channels: outs, at: to }
  }

  /** Beside each pixel that is left those around it, so that a convolution becomes a multiplication. */
  #surroundings({ shape, stride }: Layer, { side, channels, at }: Field): Field {
    const [size = 0] = shape
    const field = this.#numbers.slice(at / bytesPerNumber, at / bytesPerNumber + side * side * channels)
    const around: Field = { side: sideAfter(side, stride), channels: size * size * channels, at: this.#free[2] ?? 0 }
    const view = this.#view(around).fill(0)
    eachNeighbour(side, size, stride, (pixel, from, nth) => {
      const to = pixel * around.channels + nth * channels
      for (let channel = 0; channel < channels; channel++)
        view[to + channel] = field[from * channels + channel] as number
    })
    return around
  }

  #depthwise({ shape, stride, weightsAt, offsets }: Placed, { side, channels, at }: Field, to: number): Field {
    const [size = 0] = shape
    const out: Field = { side: sideAfter(side, stride), channels, at: to }
    const view = this.#view(out)
    for (let from = 0; from < view.length; from += channels) view.set(offsets, from)
    const row = channels * bytesPerNumber
    const { multiplyAdd } = this.#kernels
    eachNeighbour(side, size, stride, (pixel, from, nth) =>
      multiplyAdd(to + pixel * row, at + from * row, weightsAt + nth * row, row),
    )
    return out
  }

  /** Of what the pixels have in common on average. */
  #dense({ shape, weights, offsets }: Layer, field: Field): Float32Array {
    const outs = shape.at(-1) as number
    const result = offsets.slice()
    const values = this.#view(field)
    for (let at = 0; at < values.length; at++) {
      const share = (values[at] as number) / field.side ** 2
      const row = (at % field.channels) * outs
      for (let out = 0; out < outs; out++) {
        result[out] = (result[out] as number) + (weights[row + out] as number) * share
      }
    }
    return result
  }

  #add(field: Field, other: Field): void {
    const [values, others] = [this.#view(field), this.#view(other)]
    for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) + (others[at] as number)
  }

  #view({ side, channels, at }: Field): Float32Array {
    return this.#numbers.subarray(at / bytesPerNumber, at / bytesPerNumber + side * side * channels)
  }
}

const bytesOf = ({ side, channels }: Field): number => side * side * channels * bytesPerNumber

type Visit = (pixel: number, from: number, nth: number) => void

const sideAfter = (side: number, stride: number): number => Math.ceil(side / stride)

/** Which pixels around go into which of those that are left; beyond the edge there is nothing. */
function eachNeighbour(side: number, size: number, stride: number, visit: Visit): void {
  const to = sideAfter(side, stride)
  const before = Math.floor(Math.max(0, (to - 1) * stride + size - side) / 2)
  for (let pixel = 0; pixel < to * to; pixel++) {
    const top = Math.floor(pixel / to) * stride - before
    const left = (pixel % to) * stride - before
    for (let nth = 0; nth < size * size; nth++) {
      const y = top + Math.floor(nth / size)
      const x = left + (nth % size)
      if (y >= 0 && y < side && x >= 0 && x < side) visit(pixel, y * side + x, nth)
    }
  }
}

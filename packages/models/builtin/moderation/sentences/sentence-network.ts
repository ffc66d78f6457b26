// The Universal Sentence Encoder (lite): two layers that let the pieces of a text look at one another, and the mean of
// what comes out. For machines on which onnxruntime does not run. All numbers are in the kernels' memory.
import { compileKernels, type MatrixKernels } from '../matrix-kernels.ts'
import {
  type ByteTable,
  heads,
  type Linear,
  maxWindowPieces,
  type Norm,
  type SentenceLayer,
  type SentenceWeights,
} from './sentence-weights.ts'

const normEpsilon = 1e-6
const bytesPerNumber = 4
/** The kernel takes so many rows at a time; what it makes of rows that are not there is not looked at. */
const rowsAtOnce = 4
/** So many outputs at a time: their weights lie together and stay in the processor's cache for all rows. */
const panelOuts = 8

interface Placed {
  inputs: number
  outputs: number
  weights: number
  offsets: number
}

type PlacedLayer = Pick<SentenceLayer, 'norm' | 'wideNorm'> &
  Record<'attention' | 'out' | 'wide' | 'narrow', Placed> & { widen: Placed | undefined }

/** Where values of a window lie, in bytes. */
type Room = number

export class SentenceNetwork {
  readonly #kernels: MatrixKernels
  readonly #numbers: Float32Array
  readonly #layers: readonly PlacedLayer[]
  readonly #last: Placed
  readonly #rooms: Record<
    'states' | 'normal' | 'wide' | 'mixed' | 'looks' | 'found' | 'told' | 'shares' | 'zeros',
    Room
  >

  static async load(weights: SentenceWeights): Promise<SentenceNetwork> {
    const linears = [weights.last, ...weights.layers.flatMap(linearsOf)]
    const kept = linears.reduce((sum, { table, offsets }) => sum + table.bytes.length + offsets.length, 0)
    const rooms = maxWindowPieces * (roomWidths.reduce((sum, width) => sum + width, 0) + 1)
    return new SentenceNetwork(weights, await compileKernels(bytesPerNumber * (kept + rooms)))
  }

  private constructor(weights: SentenceWeights, kernels: MatrixKernels) {
    this.#kernels = kernels
    this.#numbers = new Float32Array(kernels.memory.buffer)
    let end = 0
    const room = (count: number): Room => {
      const at = end
      end += count * bytesPerNumber
      return at
    }
    const place = ({ inputs, table, offsets }: Linear): Placed => {
      const outputs = offsets.length
      const placed = { inputs, outputs, weights: room(table.bytes.length), offsets: room(outputs) }
      this.#numbers.set(toPanels(table, inputs, outputs), placed.weights / bytesPerNumber)
      this.#numbers.set(offsets, placed.offsets / bytesPerNumber)
      return placed
    }
    this.#layers = weights.layers.map((layer) => ({
      norm: layer.norm,
      wideNorm: layer.wideNorm,
      attention: place(layer.attention),
      out: place(layer.out),
      widen: layer.widen && place(layer.widen),
      wide: place(layer.wide),
      narrow: place(layer.narrow),
    }))
    this.#last = place(weights.last)
    const [states, normal, wide, mixed, looks, found, told, shares] = roomWidths.map((width) =>
      room(maxWindowPieces * width),
    ) as [Room, Room, Room, Room, Room, Room, Room, Room]
    this.#rooms = { states, normal, wide, mixed, looks, found, told, shares, zeros: room(maxWindowPieces) }
  }

  /** 512 numbers for a window of at most `maxWindowPieces` pieces, from what the first layer gets. */
  run(first: Float32Array, rows: number): Float32Array {
    this.#view(this.#rooms.states, first.length).set(first)
    let width = first.length / rows
    for (const layer of this.#layers) width = this.#runLayer(layer, rows, width)
    const states = this.#view(this.#rooms.states, rows * width)
    const mean = this.#view(this.#rooms.normal, rowsAtOnce * width).fill(0)
    for (let at = 0; at < states.length; at++) {
      mean[at % width] = (mean[at % width] as number) + (states[at] as number) / rows
    }
    this.#multiply(this.#last, this.#rooms.normal, this.#rooms.mixed, 1)
    return this.#view(this.#rooms.mixed, this.#last.outputs).map(Math.tanh)
  }

  /** How wide the states are then. */
  #runLayer(layer: PlacedLayer, rows: number, width: number): number {
    const { states, normal, wide, mixed, told } = this.#rooms
    this.#normalize(layer.norm, rows, width)
    this.#multiply(layer.attention, normal, wide, rows)
    for (let head = 0; head < heads; head++) this.#attend(head, rows, width)
    const next = layer.out.outputs
    // What was told is added up in `mixed`; `normal` is free again.
    this.#multiply(layer.out, mixed, normal, rows)
    if (layer.widen !== undefined) {
      this.#multiply(layer.widen, states, told, rows)
      this.#view(states, rows * next).set(this.#view(told, rows * next))
    }
    this.#add(states, normal, rows * next)
    this.#normalize(layer.wideNorm, rows, next)
    this.#multiply(layer.wide, normal, wide, rows)
    this.#kernels.cutNegative(wide, rows * layer.wide.outputs * bytesPerNumber)
    this.#multiply(layer.narrow, wide, normal, rows)
    this.#add(states, normal, rows * next)
    return next
  }

  /** Each piece is told what those tell that it looks for, by how well they fit. */
  #attend(head: number, rows: number, width: number): void {
    const { wide, looks, found, told, shares, mixed, zeros } = this.#rooms
    const size = width / heads
    const columns = Math.ceil(rows / panelOuts) * panelOuts
    const [from, numbers] = [wide / bytesPerNumber + head * size, this.#numbers]
    const [lookView, foundView, toldView] = [looks, found, told].map((room) => room / bytesPerNumber) as [
      Room,
      Room,
      Room,
    ]
    this.#view(found, size * columns).fill(0)
    this.#view(told, columns * size).fill(0)
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < size; at++) {
        const source = from + row * 3 * width + at
        numbers[lookView + row * size + at] = (numbers[source] as number) / Math.sqrt(size)
        numbers[foundView + at * columns + row] = numbers[source + width] as number
        numbers[toldView + row * size + at] = numbers[source + 2 * width] as number
      }
    }
    const fit = { inputs: size, outputs: columns, weights: found, offsets: zeros }
    this.#multiplyWhole(fit, looks, shares, rows, columns)
    this.#toShares(rows, columns)
    const mix = { inputs: columns, outputs: size, weights: told, offsets: zeros }
    this.#multiplyWhole(mix, shares, mixed + head * size * bytesPerNumber, rows, width)
  }

  /** Softmax over the pieces that are there. */
  #toShares(rows: number, columns: number): void {
    const fits = this.#view(this.#rooms.shares, rows * columns)
    for (let from = 0; from < fits.length; from += columns) {
      const row = fits.subarray(from, from + rows)
      let most = -Infinity
      for (let at = 0; at < rows; at++) most = Math.max(most, row[at] as number)
      let total = 0
      for (let at = 0; at < rows; at++) {
        const power = Math.exp((row[at] as number) - most)
        row[at] = power
        total += power
      }
      for (let at = 0; at < rows; at++) row[at] = (row[at] as number) / total
      fits.fill(0, from + rows, from + columns)
    }
  }

  #normalize({ scale, offset }: Norm, rows: number, width: number): void {
    const states = this.#view(this.#rooms.states, rows * width)
    const normal = this.#view(this.#rooms.normal, rows * width)
    for (let from = 0; from < states.length; from += width) {
      let sum = 0
      for (let at = from; at < from + width; at++) sum += states[at] as number
      const mean = sum / width
      let squares = 0
      for (let at = from; at < from + width; at++) squares += ((states[at] as number) - mean) ** 2
      const factor = 1 / Math.sqrt(squares / width + normEpsilon)
      for (let at = 0; at < width; at++) {
        const value = ((states[from + at] as number) - mean) * factor
        normal[from + at] = value * (scale[at] as number) + (offset[at] as number)
      }
    }
  }

  #add(to: Room, from: Room, count: number): void {
    const [sums, values] = [this.#view(to, count), this.#view(from, count)]
    for (let at = 0; at < count; at++) sums[at] = (sums[at] as number) + (values[at] as number)
  }

  /** Weights in panels. */
  #multiply({ inputs, outputs, weights, offsets }: Placed, from: Room, to: Room, rows: number): void {
    for (let out = 0; out < outputs; out += panelOuts) {
      const panel = weights + out * inputs * bytesPerNumber
      for (let row = 0; row < rows; row += rowsAtOnce) {
        const [values, result] = [from + row * inputs * bytesPerNumber, to + (row * outputs + out) * bytesPerNumber]
        this.#kernels.multiply(values, panel, result, inputs, panelOuts, offsets + out * bytesPerNumber, outputs)
      }
    }
  }

  /** Weights by input, then by output; a row of the result has `rowOuts` numbers. */
  #multiplyWhole(
    { inputs, outputs, weights, offsets }: Placed,
    from: Room,
    to: Room,
    rows: number,
    rowOuts: number,
  ): void {
    for (let row = 0; row < rows; row += rowsAtOnce) {
      const [values, result] = [from + row * inputs * bytesPerNumber, to + row * rowOuts * bytesPerNumber]
      this.#kernels.multiply(values, weights, result, inputs, outputs, offsets, rowOuts)
    }
  }

  #view(at: Room, count: number): Float32Array {
    return this.#numbers.subarray(at / bytesPerNumber, at / bytesPerNumber + count)
  }
}

/** Of states, normal, wide, mixed, looks, found, told, shares: the most numbers for a piece. */
const roomWidths = [512, 512, 1_536, 512, 128, 128, 512, 128]

const linearsOf = ({ attention, out, widen, wide, narrow }: SentenceLayer): Linear[] =>
  [attention, out, widen, wide, narrow].filter((linear) => linear !== undefined)

/** From a row for each output. */
function toPanels({ scales, bytes }: ByteTable, inputs: number, outputs: number): Float32Array {
  const panels = new Float32Array(bytes.length)
  for (let out = 0; out < outputs; out++) {
    const scale = scales[out] as number
    const panel = Math.floor(out / panelOuts) * panelOuts * inputs + (out % panelOuts)
    for (let input = 0; input < inputs; input++) {
      panels[panel + input * panelOuts] = scale * (bytes[out * inputs + input] as number)
    }
  }
  return panels
}

// A matrix of the model with its adapter, where it has one: forward, and back to the input and the adapter's gradients.
import type { AdapterLayout, AdapterMatrix } from '../model/adapter.ts'
import { largestMatrix, matrixNames, matrixSize, tensorName } from '../model/base-model.ts'
import type { Shape } from '../model/shape.ts'
import type { Kernels } from '../wasm/kernels.ts'
import type { Memory, Numbers } from './memory.ts'
import type { Unpacker } from './unpacker.ts'

interface Parts {
  shape: Shape
  unpacker: Unpacker
  adapter: AdapterLayout
  rowLength: number
  memory: Memory
  kernels: Kernels
  work: number
}

interface Matrix {
  inputs: number
  outputs: number
  /** Absent: it stays as it is. */
  thin: Pick<AdapterMatrix, 'a' | 'b'> | undefined
}

export class Linear {
  readonly #parts: Parts
  readonly #byName: ReadonlyMap<string, Matrix>
  readonly #matrix: Numbers
  readonly #thin: Numbers
  readonly parameters: Numbers
  readonly gradients: Numbers
  /** Without it, the model speaks as it did before any training. */
  usesAdapter = true

  constructor(parts: Parts) {
    const { adapter, memory, rowLength, shape } = parts
    this.#parts = parts
    this.#byName = matricesOf(shape, adapter)
    this.#matrix = memory.take(largestMatrix(shape))
    this.#thin = memory.take(rowLength * adapter.rank)
    this.parameters = memory.take(adapter.numbers)
    this.gradients = memory.take(adapter.numbers)
  }

  /** `kept` takes what the way back needs of the adapter. */
  forward(name: string, rows: number, input: Numbers, result: Numbers, kept: Numbers, adds: 0 | 1 = 0): void {
    const { adapter, kernels, work } = this.#parts
    const { inputs, outputs, thin } = this.#byName.get(name)!
    const { rank } = adapter
    this.#unpack(name, outputs)
    const { product } = kernels
    product(rows, outputs, inputs, input.at, inputs, 1, this.#matrix.at, 1, inputs, result.at, outputs, adds, work)
    if (thin === undefined || !this.usesAdapter) return
    const thinA = this.parameters.at + 4 * thin.a
    product(rows, rank, inputs, input.at, inputs, 1, thinA, 1, inputs, kept.at, rank, 0, work)
    this.#scale(kept.data, rows)
    const thinB = this.parameters.at + 4 * thin.b
    product(rows, outputs, rank, kept.at, rank, 1, thinB, 1, rank, result.at, outputs, 1, work)
  }

  /** `total` absent: nobody needs to know what the input's change would do. */
  back(
    name: string,
    rows: number,
    input: Numbers,
    change: Numbers,
    kept: Numbers,
    total?: Numbers,
    adds: 0 | 1 = 0,
  ): void {
    const { kernels, work } = this.#parts
    const { inputs, outputs, thin } = this.#byName.get(name)!
    if (thin !== undefined) this.#thinBack(thin, { inputs, outputs, rows }, input, change, kept)
    if (total === undefined) return
    this.#unpack(name, outputs)
    const { product } = kernels
    product(rows, inputs, outputs, change.at, outputs, 1, this.#matrix.at, inputs, 1, total.at, inputs, adds, work)
    if (thin === undefined) return
    const { rank } = this.#parts.adapter
    const thinA = this.parameters.at + 4 * thin.a
    product(rows, inputs, rank, this.#thin.at, rank, 1, thinA, inputs, 1, total.at, inputs, 1, work)
  }

  /** The adapter's gradients; `#thin` becomes the change of what A makes of the input. */
  #thinBack(
    { a, b }: Pick<AdapterMatrix, 'a' | 'b'>,
    { inputs, outputs, rows }: { inputs: number; outputs: number; rows: number },
    input: Numbers,
    change: Numbers,
    kept: Numbers,
  ): void {
    const { adapter, kernels, work } = this.#parts
    const { rank } = adapter
    const { product } = kernels
    const [slopeA, slopeB] = [this.gradients.at + 4 * a, this.gradients.at + 4 * b]
    const thinB = this.parameters.at + 4 * b
    product(rows, rank, outputs, change.at, outputs, 1, thinB, rank, 1, this.#thin.at, rank, 0, work)
    this.#scale(this.#thin.data, rows)
    product(outputs, rank, rows, change.at, 1, outputs, kept.at, rank, 1, slopeB, rank, 1, work)
    product(rank, inputs, rows, this.#thin.at, 1, rank, input.at, inputs, 1, slopeA, inputs, 1, work)
  }

  #unpack(name: string, outputs: number): void {
    this.#parts.unpacker.rows(name, 0, outputs, this.#matrix)
  }

  #scale(data: Float32Array, rows: number): void {
    const { rank, scale } = this.#parts.adapter
    for (let index = 0; index < rows * rank; index++) data[index]! *= scale
  }
}

function matricesOf(shape: Shape, { matrices }: AdapterLayout): Map<string, Matrix> {
  const trained = new Map(matrices.map((matrix) => [tensorName(matrix.layer, matrix.name), matrix]))
  const all = new Map<string, Matrix>()
  for (let layer = 0; layer < shape.layers; layer++) {
    for (const name of matrixNames) {
      const full = tensorName(layer, name)
      all.set(full, { ...matrixSize(shape, name), thin: trained.get(full) })
    }
  }
  return all
}

// What is trained: for some matrices W of the model two thin ones, A and B, whose product is added to it. All of them lie
// in one array, so that gradients, the optimiser's state and records of a step have the same simple form.

import { type MatrixName, matrixSize } from './base-model.ts'
import { randomNormal } from './random.ts'
import type { Shape } from './shape.ts'

export interface AdapterMatrix {
  layer: number
  name: MatrixName
  inputs: number
  outputs: number
  /** Where its numbers begin: A has `rank` rows of `inputs`, B has `outputs` rows of `rank`. */
  a: number
  b: number
}

export interface AdapterLayout {
  rank: number
  /** What the product of A and B is multiplied by. */
  scale: number
  matrices: AdapterMatrix[]
  numbers: number
  /** Layers before this one stay as they are. */
  firstLayer: number
}

export interface AdapterForm {
  rank: number
  /** By the rank: what the product of A and B is multiplied by. */
  alpha: number
  /** Which matrices of a layer. */
  names: readonly MatrixName[]
  /** Which share of the layers: the last ones. */
  depth: number
}

/** Each matrix and each layer more slows every answer; these learn as well as more of them do (docs/fine-tuning.md). */
export const usualForm: AdapterForm = {
  rank: 16,
  alpha: 32,
  names: ['attn_q', 'attn_v', 'attn_output', 'ffn_down'],
  depth: 2 / 3,
}

export function adapterLayout(shape: Shape, { rank, alpha, names, depth }: AdapterForm): AdapterLayout {
  const matrices: AdapterMatrix[] = []
  const firstLayer = shape.layers - Math.ceil(shape.layers * depth)
  let numbers = 0
  for (let layer = firstLayer; layer < shape.layers; layer++) {
    for (const name of names) {
      const { inputs, outputs } = matrixSize(shape, name)
      matrices.push({ layer, name, inputs, outputs, a: numbers, b: numbers + rank * inputs })
      numbers += rank * (inputs + outputs)
    }
  }
  return { rank, scale: alpha / rank, matrices, numbers, firstLayer }
}

/** A is random and B is zero: the adapter changes nothing yet. */
export function freshAdapter({ rank, matrices, numbers }: AdapterLayout, seed: number): Float32Array {
  const parameters = new Float32Array(numbers)
  const next = randomNormal(seed)
  for (const { a, inputs } of matrices) {
    const size = 1 / Math.sqrt(inputs)
    for (let index = a; index < a + rank * inputs; index++) parameters[index] = size * next()
  }
  return parameters
}

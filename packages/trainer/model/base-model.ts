// A model file, in memory once for all threads. Its matrices stay as they are written: a thread unpacks the one it
// works with.
import { open } from 'node:fs/promises'
import { readGgufParts } from '@atoll/models/gguf/read'
import type { Tensor } from '@atoll/models/gguf/tensors'
import { tensorTypes } from '@atoll/models/gguf/types'
import { TrainerProblem } from '../problem.ts'
import { canDequantise, dequantise } from '../weights/dequantise.ts'
import { type Shape, shapeOf } from './shape.ts'

/** What a thread is given; the bytes are shared. */
export interface BaseModel {
  shape: Shape
  tensors: Record<string, Tensor>
  bytes: SharedArrayBuffer
}

const maxChunkBytes = 64 * 1024 * 1024

export async function loadBaseModel(file: string): Promise<BaseModel> {
  const parts = await readGgufParts(file)
  if (parts.info.fileCount > 1) throw new TrainerProblem('it is split over several files: join them first')
  const shape = shapeOf(parts)
  const { list, start } = parts.tensors
  const tensors = Object.fromEntries(list.map((tensor) => [tensor.name, tensor]))
  checkTensors(shape, tensors)
  const bytes = new SharedArrayBuffer(parts.info.fileBytes - start)
  const handle = await open(file)
  try {
    for (let at = 0; at < bytes.byteLength; ) {
      const length = Math.min(maxChunkBytes, bytes.byteLength - at)
      const { bytesRead } = await handle.read(new Uint8Array(bytes, at, length), 0, length, start + at)
      if (bytesRead === 0) throw new TrainerProblem('its file became shorter while it was read')
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
  return { shape, tensors, bytes }
}

/** The matrices of a layer, any of which can be trained. */
export const matrixNames = ['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'] as const
export type MatrixName = (typeof matrixNames)[number]

export function matrixSize(shape: Shape, name: MatrixName): { inputs: number; outputs: number } {
  const { width, heads, sharedHeads, headSize, hidden } = shape
  const sizes: Record<MatrixName, [inputs: number, outputs: number]> = {
    attn_q: [width, heads * headSize],
    attn_k: [width, sharedHeads * headSize],
    attn_v: [width, sharedHeads * headSize],
    attn_output: [heads * headSize, width],
    ffn_gate: [width, hidden],
    ffn_up: [width, hidden],
    ffn_down: [hidden, width],
  }
  const [inputs, outputs] = sizes[name]
  return { inputs, outputs }
}

/** How many numbers it has. */
export const largestMatrix = (shape: Shape): number =>
  Math.max(
    ...matrixNames.map((name) => {
      const { inputs, outputs } = matrixSize(shape, name)
      return inputs * outputs
    }),
  )

export const tensorName = (layer: number, name: string): string => `blk.${layer}.${name}.weight`

function checkTensors(shape: Shape, tensors: Record<string, Tensor>): void {
  const check = (name: string, wanted: number[]): void => {
    const tensor = tensors[name]
    if (tensor === undefined) throw new TrainerProblem(`it has no tensor ${name}: its layers are of another kind`)
    if (!canDequantise(tensor.kind)) {
      const type = tensorTypes[tensor.kind]?.name ?? `kind ${tensor.kind}`
      throw new TrainerProblem(`its ${name} is written as ${type}, which training cannot read: take a Q8_0 or F16 file`)
    }
    if (tensor.shape.join() !== wanted.join()) throw new TrainerProblem(`its ${name} has the shape ${tensor.shape}`)
  }
  for (let layer = 0; layer < shape.layers; layer++) {
    check(tensorName(layer, 'attn_norm'), [shape.width])
    check(tensorName(layer, 'ffn_norm'), [shape.width])
    for (const name of matrixNames) {
      const { inputs, outputs } = matrixSize(shape, name)
      check(tensorName(layer, name), [inputs, outputs])
    }
  }
  check('output_norm.weight', [shape.width])
  check('token_embd.weight', [shape.width, shape.vocabulary])
  if ('output.weight' in tensors) check('output.weight', [shape.width, shape.vocabulary])
}

/** Reads numbers of the shared model, for one thread. */
export class Weights {
  readonly shape: Shape
  readonly #tensors: Record<string, Tensor>
  readonly #bytes: Uint8Array

  constructor({ shape, tensors, bytes }: BaseModel) {
    this.shape = shape
    this.#tensors = tensors
    this.#bytes = new Uint8Array(bytes)
  }

  /** Some rows of a matrix; a row holds the weights of one output. */
  rows(name: string, first: number, count: number, to: Float32Array): void {
    const { kind, offset, shape } = this.#tensors[name]!
    const { blockItems, blockBytes } = tensorTypes[kind]!
    const inputs = shape[0]!
    dequantise(kind, this.#bytes, offset + ((first * inputs) / blockItems) * blockBytes, count * inputs, to)
  }

  /** The same rows as they are written, and in which of `tensorTypes`. */
  written(name: string, first: number, count: number): { kind: number; bytes: Uint8Array } {
    const { kind, offset, shape } = this.#tensors[name]!
    const { blockItems, blockBytes } = tensorTypes[kind]!
    const bytesOf = (rows: number): number => ((rows * shape[0]!) / blockItems) * blockBytes
    const start = offset + bytesOf(first)
    return { kind, bytes: this.#bytes.subarray(start, start + bytesOf(count)) }
  }

  /** All numbers of a short tensor. Undefined: the model has none of this name. */
  vector(name: string): Float32Array | undefined {
    const tensor = this.#tensors[name]
    if (tensor === undefined) return undefined
    const result = new Float32Array(tensor.shape[0]!)
    dequantise(tensor.kind, this.#bytes, tensor.offset, result.length, result)
    return result
  }

  /** Models without an output layer of their own use that of their input. */
  get outputName(): string {
    return 'output.weight' in this.#tensors ? 'output.weight' : 'token_embd.weight'
  }
}

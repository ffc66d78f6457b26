// What a pass works with: everything it holds lies in one memory.
import type { AdapterLayout } from '../model/adapter.ts'
import {
  type BaseModel,
  largestMatrix,
  type MatrixName,
  matrixNames,
  tensorName,
  Weights,
} from '../model/base-model.ts'
import type { Kernels } from '../wasm/kernels.ts'
import { workBytes } from '../wasm/product.ts'
import type { Tile } from '../wasm/tile.ts'
import { Attention } from './attention.ts'
import { Linear } from './linear.ts'
import type { Memory, Numbers } from './memory.ts'
import { blockTokens, OutputLayer } from './output-layer.ts'
import { Rotation } from './rotation.ts'
import { Unpacker } from './unpacker.ts'

export interface PassOptions {
  model: BaseModel
  adapter: AdapterLayout
  tile: Tile
  /** Products of at least so many multiplications are left to native routines. */
  nativeFrom: number
  /** The longest row. */
  rowLength: number
  /** Layers are computed a second time on the way back instead of being kept: a third more time, little memory. */
  recomputes: boolean
}

/** What a layer keeps for the way back. */
export interface Kept {
  queries: Numbers
  keys: Numbers
  values: Numbers
  attended: Numbers
  middle: Numbers
  gate: Numbers
  up: Numbers
  thin: Record<MatrixName, Numbers>
}

/** The weights of a layer's norms, and what it adds to queries, keys and values. */
export interface LayerVectors {
  attention: Numbers
  hidden: Numbers
  biases: Partial<Record<MatrixName, Float32Array>>
}

const lanes = 4
export const padded = (count: number): number => Math.ceil(count / lanes) * lanes

function vectorsOf(weights: Weights, layer: number, keep: (name: string) => Numbers): LayerVectors {
  const biases: LayerVectors['biases'] = {}
  for (const name of ['attn_q', 'attn_k', 'attn_v'] as const) {
    const bias = weights.vector(`blk.${layer}.${name}.bias`)
    if (bias !== undefined) biases[name] = bias
  }
  return {
    attention: keep(tensorName(layer, 'attn_norm')),
    hidden: keep(tensorName(layer, 'ffn_norm')),
    biases,
  }
}

/** In the same order for counting and for giving out. */
export function takeParts(options: PassOptions, memory: Memory, compiled: Kernels | undefined) {
  const { model, adapter, rowLength, recomputes, tile } = options
  const { shape } = model
  const kernels = compiled ?? (undefined as unknown as Kernels)
  const work = memory.take(workBytes(tile) / 4).at
  const weights = new Weights(model)
  const [queryWidth, keyWidth] = [shape.heads * shape.headSize, shape.sharedHeads * shape.headSize]
  const rowsOf = (width: number): Numbers => memory.take(padded(rowLength * width))
  const keepFor = (): Kept => ({
    queries: rowsOf(queryWidth),
    keys: rowsOf(keyWidth),
    values: rowsOf(keyWidth),
    attended: rowsOf(queryWidth),
    middle: rowsOf(shape.width),
    gate: rowsOf(shape.hidden),
    up: rowsOf(shape.hidden),
    thin: Object.fromEntries(matrixNames.map((name) => [name, rowsOf(adapter.rank)])) as Kept['thin'],
  })
  const keep = (name: string): Numbers => {
    const kept = memory.take(shape.width)
    if (compiled !== undefined) kept.data.set(weights.vector(name)!)
    return kept
  }
  const most = Math.max(largestMatrix(shape), Math.min(blockTokens, shape.vocabulary) * shape.width)
  const unpacker = new Unpacker(weights, most, memory, kernels)
  const turning = { positions: rowLength, factors: weights.vector('rope_freqs.weight') }
  const widest = Math.max(shape.hidden, shape.width, queryWidth)
  return {
    weights,
    linear: new Linear({ shape, unpacker, adapter, rowLength, memory, kernels, work }),
    attention: new Attention(shape, rowLength, memory, kernels, work),
    output: new OutputLayer(weights, unpacker, memory, kernels, work),
    rotation: new Rotation(shape, turning, memory, kernels),
    vectors: Array.from({ length: shape.layers }, (_, layer) => vectorsOf(weights, layer, keep)),
    lastNorm: keep('output_norm.weight'),
    untrained: rowsOf(shape.width),
    states: Array.from({ length: shape.layers + 1 }, () => rowsOf(shape.width)),
    kept: Array.from({ length: recomputes ? 1 : shape.layers }, keepFor),
    normed: rowsOf(shape.width),
    change: rowsOf(shape.width),
    wide: rowsOf(widest),
    narrow: rowsOf(shape.hidden),
    changes: { queries: rowsOf(queryWidth), keys: rowsOf(keyWidth), values: rowsOf(keyWidth) },
  }
}

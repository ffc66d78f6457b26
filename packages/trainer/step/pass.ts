// One row through the model and back: the loss, and the gradients of the adapter.
import type { AdapterLayout } from '../model/adapter.ts'
import {
  type BaseModel,
  largestMatrix,
  type MatrixName,
  matrixNames,
  tensorName,
  Weights,
} from '../model/base-model.ts'
import type { Shape } from '../model/shape.ts'
import { withNativeProducts } from '../native/products.ts'
import { compileKernels, type Kernels } from '../wasm/kernels.ts'
import { workBytes } from '../wasm/product.ts'
import type { Tile } from '../wasm/tile.ts'
import { Attention } from './attention.ts'
import { Linear } from './linear.ts'
import { Memory, type Numbers } from './memory.ts'
import { blockTokens, OutputLayer } from './output-layer.ts'
import { Rotation } from './rotation.ts'
import type { Row, RowResult } from './row.ts'
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
interface Kept {
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
interface LayerVectors {
  attention: Numbers
  hidden: Numbers
  biases: Partial<Record<MatrixName, Float32Array>>
}

export class Pass {
  readonly #shape: Shape
  readonly #weights: Weights
  readonly #kernels: Kernels
  readonly #rotation: Rotation
  readonly #linear: Linear
  readonly #attention: Attention
  readonly #output: OutputLayer
  readonly #vectors: LayerVectors[]
  readonly #lastNorm: Numbers
  readonly #recomputes: boolean
  /** The input of each layer, and the last one's output. */
  readonly #states: Numbers[]
  readonly #kept: Kept[]
  readonly #normed: Numbers
  readonly #change: Numbers
  readonly #wide: Numbers
  readonly #narrow: Numbers
  readonly #changes: { queries: Numbers; keys: Numbers; values: Numbers }

  /** What a thread with these options will hold. */
  static bytes(options: PassOptions): number {
    const memory = new Memory()
    takeAll(options, memory, undefined)
    return memory.bytes + workBytes(options.tile)
  }

  /** `breathe` is called every few milliseconds of work, and may take its time. */
  constructor(options: PassOptions, breathe: () => void = () => undefined) {
    const compiled = compileKernels(options.tile, Pass.bytes(options))
    this.#kernels = breathing(withNativeProducts(compiled, options.nativeFrom), breathe)
    const memory = new Memory(this.#kernels.memory)
    const parts = takeAll(options, memory, this.#kernels)
    this.#shape = options.model.shape
    this.#weights = parts.weights
    this.#linear = parts.linear
    this.#attention = parts.attention
    this.#output = parts.output
    this.#states = parts.states
    this.#kept = parts.kept
    this.#normed = parts.normed
    this.#change = parts.change
    this.#wide = parts.wide
    this.#narrow = parts.narrow
    this.#changes = parts.changes
    this.#recomputes = options.recomputes
    this.#rotation = parts.rotation
    this.#vectors = parts.vectors
    this.#lastNorm = parts.lastNorm
  }

  get parameters(): Float32Array {
    return this.#linear.parameters.data
  }

  /** Added up over rows until they are set to 0. */
  get gradients(): Float32Array {
    return this.#linear.gradients.data
  }

  /** The loss alone. */
  evaluate(row: Row): RowResult {
    return this.#output.run(row, this.#forward(row), undefined, 0)
  }

  /** What the model thinks of every token of the vocabulary after the one at `place`. */
  scores(row: Row, place: number): Float32Array {
    return this.#output.scoresOf(this.#forward(row), place)
  }

  /** The loss, with its gradients times `scale` added to those that are there. */
  learn(row: Row, scale: number): RowResult {
    const rows = row.tokens.length
    const { layers } = this.#shape
    const last = this.#forward(row)
    const changed = this.#wide
    changed.data.fill(0, 0, rows * this.#shape.width)
    const result = this.#output.run(row, last, changed, scale)
    this.#change.data.fill(0, 0, rows * this.#shape.width)
    this.#normBack(this.#states[layers]!, this.#lastNorm, changed, rows)
    for (let layer = layers - 1; layer >= 0; layer--) {
      if (this.#recomputes) this.#layer(layer, row)
      this.#layerBack(layer, row)
    }
    return result
  }

  /** `#normed` becomes the rows brought to the same size, times the norm's weights. */
  #norm(input: Numbers, weights: Numbers, rows: number): void {
    const { width, epsilon } = this.#shape
    this.#kernels.norm(input.at, weights.at, this.#normed.at, rows, width, epsilon)
  }

  /** Adds to `#change` what a change of the normed rows means for the input. */
  #normBack(input: Numbers, weights: Numbers, change: Numbers, rows: number): void {
    const { width, epsilon } = this.#shape
    this.#kernels.normBack(input.at, weights.at, change.at, this.#change.at, rows, width, epsilon)
  }

  /** The normed states after the last layer. */
  #forward(row: Row): Numbers {
    const { width, layers } = this.#shape
    const rows = row.tokens.length
    const first = this.#states[0]!.data
    for (const [index, token] of row.tokens.entries()) {
      this.#weights.rows('token_embd.weight', token, 1, first.subarray(index * width, (index + 1) * width))
    }
    for (let layer = 0; layer < layers; layer++) this.#layer(layer, row)
    this.#norm(this.#states[layers]!, this.#lastNorm, rows)
    return this.#normed
  }

  #layer(layer: number, { tokens, segments }: Row): void {
    const rows = tokens.length
    const { heads, sharedHeads, width, hidden } = this.#shape
    const [input, output, kept] = [this.#states[layer]!, this.#states[layer + 1]!, this.#keptOf(layer)]
    const vectors = this.#vectors[layer]!
    const linear = (name: MatrixName, from: Numbers, to: Numbers, adds: 0 | 1 = 0): void =>
      this.#linear.forward(tensorName(layer, name), rows, from, to, kept.thin[name], adds)
    this.#norm(input, vectors.attention, rows)
    for (const [name, to] of [
      ['attn_q', kept.queries],
      ['attn_k', kept.keys],
      ['attn_v', kept.values],
    ] as const) {
      linear(name, this.#normed, to)
      addToRows(to.data, vectors.biases[name], rows)
    }
    this.#rotation.turn(kept.queries, heads, segments, 1)
    this.#rotation.turn(kept.keys, sharedHeads, segments, 1)
    this.#attention.forward(kept, kept.attended, segments)
    kept.middle.data.set(input.data.subarray(0, rows * width))
    linear('attn_output', kept.attended, kept.middle, 1)
    this.#norm(kept.middle, vectors.hidden, rows)
    linear('ffn_gate', this.#normed, kept.gate)
    linear('ffn_up', this.#normed, kept.up)
    this.#kernels.gated(kept.gate.at, kept.up.at, this.#wide.at, padded(rows * hidden))
    output.data.set(kept.middle.data.subarray(0, rows * width))
    linear('ffn_down', this.#wide, output, 1)
  }

  /** `#change` holds the change of the layer's output before, and of its input after. */
  #layerBack(layer: number, { tokens, segments }: Row): void {
    const rows = tokens.length
    const { heads, sharedHeads, hidden } = this.#shape
    const [input, kept, vectors] = [this.#states[layer]!, this.#keptOf(layer), this.#vectors[layer]!]
    const back = (name: MatrixName, from: Numbers, change: Numbers, total?: Numbers, adds: 0 | 1 = 0): void =>
      this.#linear.back(tensorName(layer, name), rows, from, change, kept.thin[name], total, adds)

    this.#kernels.gated(kept.gate.at, kept.up.at, this.#wide.at, padded(rows * hidden))
    const changeOfGated = this.#narrow
    back('ffn_down', this.#wide, this.#change, changeOfGated)
    this.#kernels.gatedBack(kept.gate.at, kept.up.at, changeOfGated.at, padded(rows * hidden))
    this.#norm(kept.middle, vectors.hidden, rows)
    back('ffn_gate', this.#normed, kept.gate, this.#wide)
    back('ffn_up', this.#normed, kept.up, this.#wide, 1)
    this.#normBack(kept.middle, vectors.hidden, this.#wide, rows)

    back('attn_output', kept.attended, this.#change, this.#wide)
    const { queries, keys, values } = this.#changes
    this.#attention.back(kept, this.#wide, this.#changes, segments)
    this.#rotation.turn(queries, heads, segments, -1)
    this.#rotation.turn(keys, sharedHeads, segments, -1)
    this.#norm(input, vectors.attention, rows)
    // Nothing before the first layer is trained.
    const total = layer === 0 ? undefined : this.#wide
    back('attn_q', this.#normed, queries, total)
    back('attn_k', this.#normed, keys, total, 1)
    back('attn_v', this.#normed, values, total, 1)
    if (total !== undefined) this.#normBack(input, vectors.attention, total, rows)
  }

  #keptOf(layer: number): Kept {
    return this.#kept[this.#recomputes ? 0 : layer]!
  }
}

/** Products are what takes time: there is a breath before each. */
const breathing = (kernels: Kernels, breathe: () => void): Kernels => ({
  ...kernels,
  product: (...sizes) => {
    breathe()
    kernels.product(...sizes)
  },
})

const lanes = 4
const padded = (count: number): number => Math.ceil(count / lanes) * lanes

function addToRows(data: Float32Array, bias: Float32Array | undefined, rows: number): void {
  if (bias === undefined) return
  for (let row = 0; row < rows; row++) {
    for (let index = 0; index < bias.length; index++) data[row * bias.length + index]! += bias[index]!
  }
}

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
function takeAll(options: PassOptions, memory: Memory, compiled: Kernels | undefined) {
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
    states: Array.from({ length: shape.layers + 1 }, () => rowsOf(shape.width)),
    kept: Array.from({ length: recomputes ? 1 : shape.layers }, keepFor),
    normed: rowsOf(shape.width),
    change: rowsOf(shape.width),
    wide: rowsOf(widest),
    narrow: rowsOf(shape.hidden),
    changes: { queries: rowsOf(queryWidth), keys: rowsOf(keyWidth), values: rowsOf(keyWidth) },
  }
}

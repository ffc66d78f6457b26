// One row through the model and back: the loss, and the gradients of the adapter.
import type { AdapterLayout } from '../model/adapter.ts'
import { type BaseModel, type MatrixName, matrixNames, tensorName, Weights } from '../model/base-model.ts'
import type { Shape } from '../model/shape.ts'
import { compileKernels, type Kernels } from '../wasm/kernels.ts'
import { type Tile, workBytes } from '../wasm/product.ts'
import { Attention } from './attention.ts'
import { Linear } from './linear.ts'
import { Memory, type Numbers } from './memory.ts'
import { OutputLayer } from './output-layer.ts'
import type { Row, RowResult } from './row.ts'
import { normalise, normaliseBack, Rotation } from './row-operations.ts'

export interface PassOptions {
  model: BaseModel
  adapter: AdapterLayout
  tile: Tile
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

interface LayerNorms {
  attention: Float32Array
  hidden: Float32Array
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
  readonly #norms: LayerNorms[]
  readonly #lastNorm: Float32Array
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

  constructor(options: PassOptions) {
    const { model, rowLength } = options
    this.#kernels = compileKernels(options.tile, Pass.bytes(options))
    const memory = new Memory(this.#kernels.memory)
    const parts = takeAll(options, memory, this.#kernels)
    this.#shape = model.shape
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
    this.#rotation = new Rotation(model.shape, rowLength, this.#weights.vector('rope_freqs.weight'))
    this.#norms = Array.from({ length: model.shape.layers }, (_, layer) => normsOf(this.#weights, layer))
    this.#lastNorm = this.#weights.vector('output_norm.weight')!
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
    normaliseBack(this.#states[layers]!.data, changed.data, this.#change.data, rows, this.#norm(this.#lastNorm))
    for (let layer = layers - 1; layer >= 0; layer--) {
      if (this.#recomputes) this.#layer(layer, row)
      this.#layerBack(layer, row)
    }
    return result
  }

  #norm(weights: Float32Array): { weights: Float32Array; epsilon: number } {
    return { weights, epsilon: this.#shape.epsilon }
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
    normalise(this.#states[layers]!.data, this.#normed.data, rows, this.#norm(this.#lastNorm))
    return this.#normed
  }

  #layer(layer: number, { tokens, segments }: Row): void {
    const rows = tokens.length
    const { heads, sharedHeads, width, hidden } = this.#shape
    const [input, output, kept] = [this.#states[layer]!, this.#states[layer + 1]!, this.#keptOf(layer)]
    const norms = this.#norms[layer]!
    const linear = (name: MatrixName, from: Numbers, to: Numbers, adds: 0 | 1 = 0): void =>
      this.#linear.forward(tensorName(layer, name), rows, from, to, kept.thin[name], adds)
    normalise(input.data, this.#normed.data, rows, this.#norm(norms.attention))
    for (const [name, to] of [
      ['attn_q', kept.queries],
      ['attn_k', kept.keys],
      ['attn_v', kept.values],
    ] as const) {
      linear(name, this.#normed, to)
      addToRows(to.data, norms.biases[name], rows)
    }
    this.#rotation.turn(kept.queries.data, heads, segments, 1)
    this.#rotation.turn(kept.keys.data, sharedHeads, segments, 1)
    this.#attention.forward(kept, kept.attended, segments)
    kept.middle.data.set(input.data.subarray(0, rows * width))
    linear('attn_output', kept.attended, kept.middle, 1)
    normalise(kept.middle.data, this.#normed.data, rows, this.#norm(norms.hidden))
    linear('ffn_gate', this.#normed, kept.gate)
    linear('ffn_up', this.#normed, kept.up)
    this.#kernels.gated(kept.gate.at, kept.up.at, this.#wide.at, padded(rows * hidden))
    output.data.set(kept.middle.data.subarray(0, rows * width))
    linear('ffn_down', this.#wide, output, 1)
  }

  /** `#change` holds the change of the layer's output before, and of its input after. */
  #layerBack(layer: number, { tokens, segments }: Row): void {
    const rows = tokens.length
    const { heads, sharedHeads, hidden, width } = this.#shape
    const [input, kept, norms] = [this.#states[layer]!, this.#keptOf(layer), this.#norms[layer]!]
    const back = (name: MatrixName, from: Numbers, change: Numbers, total?: Numbers, adds: 0 | 1 = 0): void =>
      this.#linear.back(tensorName(layer, name), rows, from, change, kept.thin[name], total, adds)

    this.#kernels.gated(kept.gate.at, kept.up.at, this.#wide.at, padded(rows * hidden))
    const changeOfGated = this.#narrow
    back('ffn_down', this.#wide, this.#change, changeOfGated)
    this.#kernels.gatedBack(kept.gate.at, kept.up.at, changeOfGated.at, padded(rows * hidden))
    normalise(kept.middle.data, this.#normed.data, rows, this.#norm(norms.hidden))
    back('ffn_gate', this.#normed, kept.gate, this.#wide)
    back('ffn_up', this.#normed, kept.up, this.#wide, 1)
    normaliseBack(kept.middle.data, this.#wide.data, this.#change.data, rows, this.#norm(norms.hidden))

    back('attn_output', kept.attended, this.#change, this.#wide)
    const { queries, keys, values } = this.#changes
    this.#attention.back(kept, this.#wide, this.#changes, segments)
    this.#rotation.turn(queries.data, heads, segments, -1)
    this.#rotation.turn(keys.data, sharedHeads, segments, -1)
    normalise(input.data, this.#normed.data, rows, this.#norm(norms.attention))
    // Nothing before the first layer is trained.
    const total = layer === 0 ? undefined : this.#wide
    back('attn_q', this.#normed, queries, total)
    back('attn_k', this.#normed, keys, total, 1)
    back('attn_v', this.#normed, values, total, 1)
    if (total === undefined) return
    normaliseBack(
      input.data,
      total.data.subarray(0, rows * width),
      this.#change.data,
      rows,
      this.#norm(norms.attention),
    )
  }

  #keptOf(layer: number): Kept {
    return this.#kept[this.#recomputes ? 0 : layer]!
  }
}

const lanes = 4
const padded = (count: number): number => Math.ceil(count / lanes) * lanes

function addToRows(data: Float32Array, bias: Float32Array | undefined, rows: number): void {
  if (bias === undefined) return
  for (let row = 0; row < rows; row++) {
    for (let index = 0; index < bias.length; index++) data[row * bias.length + index]! += bias[index]!
  }
}

function normsOf(weights: Weights, layer: number): LayerNorms {
  const biases: LayerNorms['biases'] = {}
  for (const name of ['attn_q', 'attn_k', 'attn_v'] as const) {
    const bias = weights.vector(`blk.${layer}.${name}.bias`)
    if (bias !== undefined) biases[name] = bias
  }
  return {
    attention: weights.vector(tensorName(layer, 'attn_norm'))!,
    hidden: weights.vector(tensorName(layer, 'ffn_norm'))!,
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
  const widest = Math.max(shape.hidden, shape.width, queryWidth)
  return {
    weights,
    linear: new Linear({ weights, adapter, rowLength, memory, kernels, work }),
    attention: new Attention(shape, rowLength, memory, kernels, work),
    output: new OutputLayer(weights, memory, kernels, work),
    states: Array.from({ length: shape.layers + 1 }, () => rowsOf(shape.width)),
    kept: Array.from({ length: recomputes ? 1 : shape.layers }, keepFor),
    normed: rowsOf(shape.width),
    change: rowsOf(shape.width),
    wide: rowsOf(widest),
    narrow: rowsOf(shape.hidden),
    changes: { queries: rowsOf(queryWidth), keys: rowsOf(keyWidth), values: rowsOf(keyWidth) },
  }
}

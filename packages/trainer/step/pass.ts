// One row through the model and back: the loss, and the gradients of the adapter.
import { type MatrixName, tensorName, type Weights } from '../model/base-model.ts'
import type { Shape } from '../model/shape.ts'
import { withNativeProducts } from '../native/products.ts'
import { compileKernels, type Kernels } from '../wasm/kernels.ts'
import { workBytes } from '../wasm/product.ts'
import type { Attention } from './attention.ts'
import type { Linear } from './linear.ts'
import { Memory, type Numbers } from './memory.ts'
import type { OutputLayer } from './output-layer.ts'
import { type Kept, type LayerVectors, type PassOptions, padded, takeParts } from './pass-parts.ts'
import type { Rotation } from './rotation.ts'
import type { Row, RowResult } from './row.ts'

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
  readonly #firstTrained: number
  /** The normed states after the last layer, as they are without the adapter. */
  readonly #untrained: Numbers
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
    takeParts(options, memory, undefined)
    return memory.bytes + workBytes(options.tile)
  }

  /** `breathe` is called every few milliseconds of work, and may take its time. */
  constructor(options: PassOptions, breathe: () => void = () => undefined) {
    const compiled = compileKernels(options.tile, Pass.bytes(options))
    this.#kernels = breathing(withNativeProducts(compiled, options.nativeFrom), breathe)
    const memory = new Memory(this.#kernels.memory)
    const parts = takeParts(options, memory, this.#kernels)
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
    this.#firstTrained = options.adapter.firstLayer
    this.#untrained = parts.untrained
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

  /** How far from the model as it was the adapter has taken it: a sum over what is foreseen after every token. */
  difference(row: Row): number {
    this.#foreseeUntrained(row)
    return this.#output.difference(row, this.#untrained, this.#trainedLayers(row))
  }

  /** The loss, with its gradients times `scale` added to those that are there. */
  learn(row: Row, scale: number): RowResult {
    const last = this.#forward(row)
    const changed = this.#noChanges(row)
    const result = this.#output.run(row, last, changed, scale)
    this.#back(row, changed)
    return result
  }

  /** Adds the gradients of `difference`, times `scale`. */
  remind(row: Row, scale: number): void {
    this.#foreseeUntrained(row)
    const last = this.#trainedLayers(row)
    const changed = this.#noChanges(row)
    this.#output.remind(row, this.#untrained, last, changed, scale)
    this.#back(row, changed)
  }

  #foreseeUntrained(row: Row): void {
    this.#linear.usesAdapter = false
    this.#untrained.data.set(this.#forward(row).data.subarray(0, row.tokens.length * this.#shape.width))
    this.#linear.usesAdapter = true
  }

  #noChanges({ tokens }: Row): Numbers {
    this.#wide.data.fill(0, 0, tokens.length * this.#shape.width)
    return this.#wide
  }

  /** From the change of the last normed states to the adapter's gradients. */
  #back(row: Row, changed: Numbers): void {
    const rows = row.tokens.length
    const { layers, width } = this.#shape
    this.#change.data.fill(0, 0, rows * width)
    this.#normBack(this.#states[layers]!, this.#lastNorm, changed, rows)
    for (let layer = layers - 1; layer >= this.#firstTrained; layer--) {
      if (this.#recomputes) this.#layer(layer, row)
      this.#layerBack(layer, row)
    }
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
    const { width } = this.#shape
    const first = this.#states[0]!.data
    for (const [index, token] of row.tokens.entries()) {
      this.#weights.rows('token_embd.weight', token, 1, first.subarray(index * width, (index + 1) * width))
    }
    for (let layer = 0; layer < this.#firstTrained; layer++) this.#layer(layer, row)
    return this.#trainedLayers(row)
  }

  /** What comes before them is there already. */
  #trainedLayers(row: Row): Numbers {
    const { layers } = this.#shape
    for (let layer = this.#firstTrained; layer < layers; layer++) this.#layer(layer, row)
    this.#norm(this.#states[layers]!, this.#lastNorm, row.tokens.length)
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
    // Nothing before it is trained.
    const total = layer === this.#firstTrained ? undefined : this.#wide
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

function addToRows(data: Float32Array, bias: Float32Array | undefined, rows: number): void {
  if (bias === undefined) return
  for (let row = 0; row < rows; row++) {
    for (let index = 0; index < bias.length; index++) data[row * bias.length + index]! += bias[index]!
  }
}

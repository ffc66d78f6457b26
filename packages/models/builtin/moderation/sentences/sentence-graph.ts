// The Universal Sentence Encoder as a network for onnxruntime: products are of 8-bit numbers, for which it uses the
// widest vectors that the machine has.
import { type Constant, type OnnxNode, onnxFile } from '../../onnx/onnx-file.ts'
import { heads, type Linear, type Norm, type SentenceLayer, type SentenceWeights } from './sentence-weights.ts'

export const input = 'states'
export const output = 'vector'
const zero = 128

export function sentenceGraph({ layers, last }: SentenceWeights): Uint8Array {
  const graph = new Graph()
  const states = layers.reduce((from, layer) => addLayer(graph, layer, from), input)
  const mean = graph.add('ReduceMean', [states], { axes: [0], keepdims: 1 })
  graph.name(graph.add('Tanh', [addLinear(graph, last, mean)]), output)
  return onnxFile({ inputs: [input], outputs: [output], constants: graph.constants, nodes: graph.nodes })
}

/** Values are known by the name of the node that makes them. */
class Graph {
  readonly nodes: OnnxNode[] = []
  readonly constants: Constant[] = []

  add(operator: string, inputs: readonly string[], attributes: OnnxNode['attributes'] = {}, isOwn = false): string {
    const made = `value ${this.nodes.length}`
    this.nodes.push({ operator, inputs, output: made, attributes, isOwn })
    return made
  }

  constant(values: Constant['values'], sizes: readonly number[] = [values.length]): string {
    const name = `constant ${this.constants.length}`
    this.constants.push({ name, sizes, values })
    return name
  }

  name(value: string, name: string): void {
    this.nodes.push({ operator: 'Identity', inputs: [value], output: name })
  }
}

function addLayer(graph: Graph, layer: SentenceLayer, states: string): string {
  const normal = addNorm(graph, layer.norm, states)
  const told = addLinear(graph, layer.out, addAttention(graph, layer.attention, normal))
  const wide = layer.widen === undefined ? states : addLinear(graph, layer.widen, states)
  const sum = graph.add('Add', [wide, told])
  const thought = graph.add('Relu', [addLinear(graph, layer.wide, addNorm(graph, layer.wideNorm, sum))])
  return graph.add('Add', [sum, addLinear(graph, layer.narrow, thought)])
}

/** Each piece is told what those tell that it looks for, by how well they fit. */
function addAttention(graph: Graph, attention: Linear, normal: string): string {
  const width = attention.inputs
  const size = width / heads
  const shape = graph.constant(BigInt64Array.from([-1n, 3n, BigInt(heads), BigInt(size)]))
  const parts = graph.add('Reshape', [addLinear(graph, attention, normal), shape])
  const part = (at: number, order: readonly number[]): string => {
    const index = graph.constant(BigInt64Array.of(BigInt(at)), [])
    return graph.add('Transpose', [graph.add('Gather', [parts, index], { axis: 1 })], { perm: order })
  }
  const fits = graph.add('MatMul', [part(0, [1, 0, 2]), part(1, [1, 2, 0])])
  const shares = graph.add('Softmax', [graph.add('Mul', [fits, graph.constant(Float32Array.of(size ** -0.5))])])
  const mixed = graph.add('MatMul', [shares, part(2, [1, 0, 2])])
  const rows = graph.constant(BigInt64Array.from([-1n, BigInt(width)]))
  return graph.add('Reshape', [graph.add('Transpose', [mixed], { perm: [1, 0, 2] }), rows])
}

const addNorm = (graph: Graph, { scale, offset }: Norm, states: string): string =>
  graph.add('LayerNormalization', [states, graph.constant(scale), graph.constant(offset)])

/**
 * What comes in is brought to 8 bits, with one scale for the window. Weights have no sign here: without, processors of
 * every age make the same sums.
 */
function addLinear(graph: Graph, { inputs, table, offsets }: Linear, from: string): string {
  const outputs = offsets.length
  const turned = new Uint8Array(table.bytes.length)
  for (let out = 0; out < outputs; out++) {
    for (let at = 0; at < inputs; at++) turned[at * outputs + out] = zero + (table.bytes[out * inputs + at] as number)
  }
  const weights = [
    graph.constant(turned, [inputs, outputs]),
    graph.constant(table.scales),
    graph.constant(Uint8Array.of(zero)),
  ]
  return graph.add('DynamicQuantizeMatMul', [from, ...weights, graph.constant(offsets)], {}, true)
}

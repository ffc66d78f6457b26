// The image model's file as its makers wrote it: a graph of named operations, and weights of one byte each.
import type { Layer } from './image-network.ts'

interface GraphNode {
  name: string
  op: string
  input?: string[]
  attr?: { strides?: { list?: { i?: string[] } }; fused_ops?: { list?: { s?: string[] } } }
}

interface WeightSpec {
  name: string
  shape: number[]
  quantization: { min: number; scale: number; dtype: 'uint8' }
}

export interface ImageGraph {
  modelTopology: { node: GraphNode[] }
  weightSpecs: WeightSpec[]
}

const kinds: Record<string, Layer['kind']> = {
  _FusedConv2D: 'convolution',
  FusedDepthwiseConv2dNative: 'depthwise',
  _FusedMatMul: 'dense',
}
const boundedName = Buffer.from('Relu6').toString('base64')

/** The layers in their order. What is no layer of its own (scaling, pooling, softmax) is known to whoever runs them. */
export function readLayers({ modelTopology, weightSpecs }: ImageGraph, bytes: Uint8Array): Layer[] {
  const constants = readConstants(weightSpecs, bytes)
  const constant = (name: string | undefined): { shape: number[]; values: Float32Array } => {
    const found = constants.get(name ?? '')
    if (!found) throw new Error('the weights of the image moderation model are damaged or of another version')
    return found
  }
  const layers: Layer[] = []
  const layerOf = new Map<string, number>()
  for (const { name, op, input = [], attr } of modelTopology.node) {
    const kind = kinds[op]
    if (kind !== undefined) {
      const weights = constant(input[1])
      layers.push({
        kind,
        shape: weights.shape,
        stride: Number(attr?.strides?.list?.i?.[1] ?? 1),
        bounded: attr?.fused_ops?.list?.s?.includes(boundedName) ?? false,
        weights: weights.values,
        offsets: constant(input[2]).values,
      })
      layerOf.set(name, layers.length - 1)
    }
    const last = layers.at(-1)
    if (op === 'AddV2' && last) {
      last.plus = layerOf.get(input[0] ?? '')
      layerOf.set(name, layers.length - 1)
    }
  }
  return layers
}

function readConstants(specs: readonly WeightSpec[], bytes: Uint8Array) {
  const constants = new Map<string, { shape: number[]; values: Float32Array }>()
  let from = 0
  for (const { name, shape, quantization } of specs) {
    const count = shape.reduce((product, size) => product * size, 1)
    const { min, scale } = quantization
    const values = new Float32Array(bytes.subarray(from, from + count))
    for (let at = 0; at < count; at++) values[at] = (values[at] as number) * scale + min
    constants.set(name, { shape, values })
    from += count
  }
  if (from !== bytes.length) throw new Error('the weights of the image moderation model are damaged')
  return constants
}

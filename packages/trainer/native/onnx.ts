// The part of onnxruntime-node that runs a model at once, in the calling thread. Its own interface answers later, which
// would make a promise of every product; so its binding is called itself. The version is pinned.
import { createRequire } from 'node:module'

export interface OnnxTensor {
  data: Float32Array
}

export interface OnnxSession {
  loadModel(buffer: ArrayBufferLike, from: number, bytes: number, options: object): void
  /** Results are written to the tensors that are given for them. */
  run(given: Record<string, OnnxTensor>, results: Record<string, OnnxTensor>, options: object): unknown
}

export interface Onnx {
  InferenceSession: new () => OnnxSession
  Tensor: new (type: 'float32', data: Float32Array, sizes: readonly number[]) => OnnxTensor
}

const require = createRequire(import.meta.url)

/** Undefined where it does not run: it comes compiled for some machines. */
export function loadOnnx(): Onnx | undefined {
  try {
    const { Tensor } = require('onnxruntime-node') as Pick<Onnx, 'Tensor'>
    const { binding } = require('onnxruntime-node/dist/binding.js') as {
      binding: Pick<Onnx, 'InferenceSession'>
    }
    return { Tensor, InferenceSession: binding.InferenceSession }
  } catch {
    return undefined
  }
}

// The engine that computes networks, in the models' own processes alone.
import { createRequire } from 'node:module'

/** What of onnxruntime-node is used here; it brings no types. */
interface OnnxRuntime {
  InferenceSession: { create(file: string | Uint8Array, options: object): Promise<Network> }
  Tensor: new (type: string, data: unknown, dims: readonly number[]) => Tensor
}

export interface Tensor {
  readonly data: unknown
  readonly dims: readonly number[]
}

export type Values = Record<string, Tensor>

export interface Network {
  readonly inputNames: readonly string[]
  run(values: Values): Promise<Values>
}

const require = createRequire(import.meta.url)
let loaded: OnnxRuntime | undefined
const onnx = (): OnnxRuntime => {
  loaded ??= require('onnxruntime-node') as OnnxRuntime
  return loaded
}

const onlyErrors = 3

/** By the file's name or its bytes. One thread: two are slower as soon as the machine has something else to do. */
export const openNetwork = async (file: string | Uint8Array): Promise<Network> =>
  onnx().InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: onlyErrors,
  })

const tensor = (type: string, data: unknown, dims: readonly number[]): Tensor => new (onnx().Tensor)(type, data, dims)
export const floats = (data: Float32Array, dims: readonly number[]): Tensor => tensor('float32', data, dims)
export const wholes = (data: readonly number[], dims: readonly number[]): Tensor =>
  tensor('int64', BigInt64Array.from(data, BigInt), dims)
export const truth = (value: boolean): Tensor => tensor('bool', [value], [1])

export function output(values: Values, name: string): Tensor {
  const value = values[name]
  if (value === undefined) throw new Error(`the network has no output ${name}`)
  return value
}

export const floatsOf = (values: Values, name: string): Float32Array => output(values, name).data as Float32Array

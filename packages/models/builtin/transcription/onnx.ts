// The engine that computes the networks, in the model's process alone.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What of onnxruntime-node is used here; it brings no types. */
interface OnnxRuntime {
  InferenceSession: { create(file: string, options: object): Promise<Network> }
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
const { InferenceSession, Tensor } = require('onnxruntime-node') as OnnxRuntime

const folder = new URL('../../../../weights/speech/', import.meta.url)
const onlyErrors = 3

/** One thread: two are slower as soon as the machine has something else to do. */
export const openNetwork = (file: string): Promise<Network> =>
  InferenceSession.create(fileURLToPath(new URL(file, folder)), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: onlyErrors,
  })

export const floats = (data: Float32Array, dims: readonly number[]): Tensor => new Tensor('float32', data, dims)
export const wholes = (data: readonly number[], dims: readonly number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(data, BigInt), dims)
export const truth = (value: boolean): Tensor => new Tensor('bool', [value], [1])

export function output(values: Values, name: string): Tensor {
  const value = values[name]
  if (value === undefined) throw new Error(`the network has no output ${name}`)
  return value
}

export const floatsOf = (values: Values, name: string): Float32Array => output(values, name).data as Float32Array

// Products by the routines inside onnxruntime, which use vectors as wide as the machine has; WebAssembly knows only
// narrow ones. They work on the thread's memory in place.
import type { Kernels } from '../wasm/kernels.ts'
import { gemmModel } from './gemm-model.ts'
import { loadOnnx, type Onnx, type OnnxSession, type OnnxTensor } from './onnx.ts'

type Product = Kernels['product']

/** Smaller ones take less time than the call. */
const worthACall = 1_000_000

/** From how many multiplications on products are native on this machine; none are where there is nothing for it. */
export const nativeFrom = (): number => (loadOnnx() === undefined ? Infinity : worthACall)

/** The kernels, with native products from so many multiplications on. */
export function withNativeProducts(kernels: Kernels, from: number): Kernels {
  const onnx = from === Infinity ? undefined : loadOnnx()
  if (onnx === undefined) return kernels
  const native = new NativeProducts(onnx, kernels.memory)
  const product: Product = (...sizes) => {
    const [rows, columns, inner] = sizes
    if (rows * columns * inner < from) kernels.product(...sizes)
    else native.product(...sizes)
  }
  return { ...kernels, product }
}

interface Matrix {
  /** Bytes from the start of the memory. */
  at: number
  rows: number
  columns: number
  /** From one row to the next and from one column to the next, in numbers. One of them is 1. */
  rowStep: number
  columnStep: number
}

interface Operand {
  tensor: OnnxTensor
  isTurned: boolean
}

class NativeProducts {
  readonly #onnx: Onnx
  readonly #memory: SharedArrayBuffer
  readonly #sessions = new Map<string, OnnxSession>()
  /** Where matrices are brought together whose lines lie apart. */
  readonly #gathered = { a: new Float32Array(0), b: new Float32Array(0), c: new Float32Array(0) }

  constructor(onnx: Onnx, memory: SharedArrayBuffer) {
    this.#onnx = onnx
    this.#memory = memory
  }

  readonly product: Product = (rows, columns, inner, a, rowA, stepA, b, rowB, stepB, c, rowC, adds) => {
    const one = this.#operand('a', { at: a, rows, columns: inner, rowStep: rowA, columnStep: stepA })
    const other = this.#operand('b', { at: b, rows: inner, columns, rowStep: rowB, columnStep: stepB })
    const target = { at: c, rows, columns, rowStep: rowC, columnStep: 1 }
    const result = isDense(target) ? this.#inPlace(target) : this.#room('c', rows * columns)
    if (adds && !isDense(target)) this.#gather(target, result)
    const y = tensorOf(result, [rows, columns])
    const given = { a: one.tensor, b: other.tensor, ...(adds && { c: y }) }
    this.#session(one.isTurned, other.isTurned, adds === 1).run(given, { y }, {})
    if (!isDense(target)) this.#scatter(result, target)
  }

  /** A matrix whose columns lie one after the other is the turned one, row by row. */
  #operand(name: 'a' | 'b', matrix: Matrix): Operand {
    const isTurned = matrix.columnStep !== 1
    const lines = isTurned ? turned(matrix) : matrix
    const data = isDense(lines) ? this.#inPlace(lines) : this.#room(name, lines.rows * lines.columns)
    if (!isDense(lines)) this.#gather(lines, data)
    return { tensor: tensorOf(data, [lines.rows, lines.columns]), isTurned }
  }

  #inPlace({ at, rows, columns }: Matrix): Float32Array {
    return new Float32Array(this.#memory, at, rows * columns)
  }

  #room(name: 'a' | 'b' | 'c', numbers: number): Float32Array {
    if (this.#gathered[name].length < numbers) this.#gathered[name] = new Float32Array(numbers)
    return this.#gathered[name].subarray(0, numbers)
  }

  #gather(matrix: Matrix, to: Float32Array): void {
    for (let row = 0; row < matrix.rows; row++) to.set(this.#line(matrix, row), row * matrix.columns)
  }

  #scatter(from: Float32Array, matrix: Matrix): void {
    const { rows, columns } = matrix
    for (let row = 0; row < rows; row++) {
      this.#line(matrix, row).set(from.subarray(row * columns, (row + 1) * columns))
    }
  }

  #line({ at, rowStep, columns }: Matrix, row: number): Float32Array {
    return new Float32Array(this.#memory, at + 4 * row * rowStep, columns)
  }

  #session(turnsA: boolean, turnsB: boolean, adds: boolean): OnnxSession {
    const key = `${turnsA} ${turnsB} ${adds}`
    let session = this.#sessions.get(key)
    if (session === undefined) {
      session = new this.#onnx.InferenceSession()
      const model = gemmModel({ a: turnsA, b: turnsB }, adds)
      session.loadModel(model.buffer, model.byteOffset, model.byteLength, oneThread)
      this.#sessions.set(key, session)
    }
    return session
  }
}

/** The trainer has threads of its own; and sums are always made in the same order. */
const oneThread = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', enableCpuMemArena: false }

const tensorOf = (data: Float32Array, dims: readonly number[]): OnnxTensor => ({ type: 'float32', data, dims })

const isDense = ({ rowStep, columns }: Matrix): boolean => rowStep === columns

const turned = ({ at, rows, columns, rowStep, columnStep }: Matrix): Matrix => ({
  at,
  rows: columns,
  columns: rows,
  rowStep: columnStep,
  columnStep: rowStep,
})

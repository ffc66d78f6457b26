// A model of one node for onnxruntime: Y = A · B, or Y = A · B + C, with A or B turned.
import { onnxFile } from '@atoll/models/builtin/onnx/onnx-file'

export interface Turns {
  a: boolean
  b: boolean
}

export function gemmModel(turns: Turns, adds: boolean): Uint8Array {
  const inputs = adds ? ['a', 'b', 'c'] : ['a', 'b']
  const attributes = { transA: turns.a ? 1 : 0, transB: turns.b ? 1 : 0 }
  const nodes = [{ operator: 'Gemm', inputs, output: 'y', attributes }]
  return onnxFile({ inputs, outputs: ['y'], constants: [], nodes })
}

// The table of tensors in a GGUF file: how many parameters there are, and whether all their bytes are.
import type { ByteWindow } from './byte-window.ts'
import { GgufProblem } from './problem.ts'
import { tensorTypes } from './types.ts'

export interface Tensor {
  name: string
  /** Innermost dimension first, as ggml counts them. */
  shape: number[]
  /** The number of one of `tensorTypes`. */
  kind: number
  /** Bytes from the start of the tensors. */
  offset: number
}

export interface TensorTable {
  list: Tensor[]
  /** Where in the file the tensors begin. */
  start: number
  parameterCount: number
  /** The way most parameters are written. */
  mainType: string | undefined
}

const maxNameBytes = 1_024
const maxDimensions = 4

/** Checks that the last tensor ends inside the file, as far as its type is known. */
export async function readTensors(window: ByteWindow, count: number, alignment: number): Promise<TensorTable> {
  const list: Tensor[] = []
  const byType = new Map<number, number>()
  let parameterCount = 0
  let end = 0
  for (let index = 0; index < count; index++) {
    const what = `entry ${index + 1} of ${count} of the table of tensors`
    const name = await window.text(maxNameBytes, what)
    const shape = await readShape(window, what)
    const items = itemsOf(shape, what)
    const kind = await window.u32(what)
    const offset = await window.u64(what)
    list.push({ name, shape, kind, offset })
    const type = tensorTypes[kind]
    end = Math.max(end, offset + (type ? Math.ceil(items / type.blockItems) * type.blockBytes : 0))
    parameterCount += items
    byType.set(kind, (byType.get(kind) ?? 0) + items)
  }
  const padding = (alignment - (window.position % alignment)) % alignment
  if (end > 0) window.mustHold(padding + end, 'the tensors')
  const [main] = [...byType].sort((one, other) => other[1] - one[1])
  return {
    list,
    start: window.position + padding,
    parameterCount,
    mainType: main === undefined ? undefined : tensorTypes[main[0]]?.name,
  }
}

async function readShape(window: ByteWindow, what: string): Promise<number[]> {
  const dimensions = await window.u32(what)
  if (dimensions > maxDimensions) throw new GgufProblem(`damaged: ${what} has ${dimensions} dimensions`)
  const shape: number[] = []
  for (let index = 0; index < dimensions; index++) shape.push(await window.u64(what))
  return shape
}

function itemsOf(shape: readonly number[], what: string): number {
  const items = shape.reduce((product, size) => product * size, 1)
  if (!Number.isSafeInteger(items)) throw new GgufProblem(`damaged: ${what} has ${items} parameters`)
  return items
}

// A model with an adapter worked into it, as a file of its own: metadata and tensors of the base as they are, but for the
// matrices that were trained.
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { type GgufParts, readGgufParts } from '@atoll/models/gguf/read'
import type { Tensor } from '@atoll/models/gguf/tensors'
import { tensorTypes } from '@atoll/models/gguf/types'
import { fileSha256 } from '../model/file-digest.ts'
import { TrainerProblem } from '../problem.ts'
import { canDequantise, dequantise } from '../weights/dequantise.ts'
import { quantise, writtenAs } from '../weights/quantise.ts'
import { type AdapterParts, readAdapter, type ThinPair } from './adapter-parts.ts'
import { ggufHead } from './head.ts'

export interface MergeOptions {
  base: string
  adapter: string
  /** There whole, or not at all. */
  output: string
}

/** A tensor of the new file. */
interface Written {
  tensor: Tensor
  kind: number
  bytes: number
  pair: ThinPair | undefined
}

const copyBytes = 8 * 1024 * 1024

export async function mergeAdapter({ base, adapter, output }: MergeOptions): Promise<void> {
  const [parts, added] = [await readGgufParts(base), await readAdapter(adapter)]
  if (parts.info.fileCount > 1) throw new TrainerProblem('it is split over several files: join them first')
  if (added.baseSha256 !== undefined && added.baseSha256 !== (await fileSha256(base))) {
    throw new TrainerProblem("it was trained on another version of the base model's file than the one that is here")
  }
  const written = parts.tensors.list.map((tensor) => planned(tensor, added))
  for (const name of added.pairs.keys()) {
    if (!written.some(({ tensor }) => tensor.name === name)) {
      throw new TrainerProblem(`its base has no tensor ${name}`)
    }
  }
  const part = `${output}.part`
  const from = await open(base)
  try {
    const to = await open(part, 'w')
    try {
      await to.writeFile(await ggufHead(from, parts, written))
      for (const one of written) await writeTensor(from, to, parts, one, added.alpha)
      await to.sync()
    } finally {
      await to.close()
    }
    await rename(part, output)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await from.close()
  }
}

function planned(tensor: Tensor, { pairs }: AdapterParts): Written {
  const pair = pairs.get(tensor.name)
  const type = tensorTypes[tensor.kind]
  if (type === undefined || (pair !== undefined && !canDequantise(tensor.kind))) {
    throw new TrainerProblem(`its ${tensor.name} is written in a way that cannot be read: take a Q8_0 or F16 file`)
  }
  const kind = pair === undefined ? tensor.kind : writtenAs(tensor.kind)
  return { tensor, kind, bytes: bytesOf(tensor, kind), pair }
}

function bytesOf({ shape }: Tensor, kind: number): number {
  const { blockItems, blockBytes } = tensorTypes[kind]!
  return (shape.reduce((product, size) => product * size, 1) / blockItems) * blockBytes
}

async function writeTensor(
  from: FileHandle,
  to: FileHandle,
  { tensors, alignment }: GgufParts,
  { tensor, kind, bytes, pair }: Written,
  alpha: number,
): Promise<void> {
  const start = tensors.start + tensor.offset
  const length = bytesOf(tensor, tensor.kind)
  if (pair === undefined) {
    for (let at = 0; at < length; at += copyBytes) {
      await to.writeFile(await readAt(from, start + at, Math.min(copyBytes, length - at)))
    }
  } else {
    const [inputs = 0, outputs = 0] = tensor.shape
    const numbers = new Float32Array(inputs * outputs)
    dequantise(tensor.kind, await readAt(from, start, length), 0, numbers.length, numbers)
    addProduct(numbers, pair, inputs, alpha / pair.rank)
    await to.writeFile(quantise(kind, numbers))
  }
  await to.writeFile(Buffer.alloc((alignment - (bytes % alignment)) % alignment))
}

/** Each row of the matrix gets the rows of A, as much of each as its row of B says. */
function addProduct(matrix: Float32Array, { rank, a, b }: ThinPair, inputs: number, scale: number): void {
  for (let row = 0; row * inputs < matrix.length; row++) {
    for (let thin = 0; thin < rank; thin++) {
      const factor = scale * b[row * rank + thin]!
      for (let at = 0; at < inputs; at++) matrix[row * inputs + at]! += factor * a[thin * inputs + at]!
    }
  }
}

async function readAt(from: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await from.read(bytes, at, length - at, position + at)
    if (bytesRead === 0) throw new TrainerProblem("its base's file became shorter while it was read")
    at += bytesRead
  }
  return bytes
}

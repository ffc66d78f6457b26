// Makes numbers of a matrix's rows: by kernels, for the ways in which most files write them.
import type { Weights } from '../model/base-model.ts'
import type { Kernels } from '../wasm/kernels.ts'
import type { Memory, Numbers } from './memory.ts'

const kinds = { full: 0, halves: 1, bytes: 8, shortened: 30 }
const blockBytes = 34
const lanes = 4

export class Unpacker {
  readonly #weights: Weights
  readonly #kernels: Kernels
  readonly #room: Numbers

  /** `most` numbers are unpacked at a time, at most. */
  constructor(weights: Weights, most: number, memory: Memory, kernels: Kernels) {
    this.#weights = weights
    this.#kernels = kernels
    // What kernels unpack is at most half as long as its numbers.
    this.#room = memory.take(Math.ceil(most / 2))
  }

  /** Rows of a matrix; a row holds the weights of one output. */
  rows(name: string, first: number, count: number, to: Numbers): void {
    const { kind, bytes } = this.#weights.written(name, first, count)
    const numbers = kind === kinds.bytes ? (bytes.length / blockBytes) * 32 : bytes.length / 2
    const unpack = this.#kernelOf(kind)
    if (kind === kinds.full) bytesOf(to).set(bytes)
    else if (unpack === undefined || numbers % lanes !== 0) this.#weights.rows(name, first, count, to.data)
    else {
      bytesOf(this.#room).set(bytes)
      unpack(this.#room.at, to.at, kind === kinds.bytes ? bytes.length / blockBytes : numbers)
    }
  }

  #kernelOf(kind: number): ((from: number, to: number, count: number) => void) | undefined {
    if (kind === kinds.bytes) return this.#kernels.unpackBytes
    if (kind === kinds.halves) return this.#kernels.unpackHalves
    return kind === kinds.shortened ? this.#kernels.unpackShortened : undefined
  }
}

const bytesOf = ({ data }: Numbers): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

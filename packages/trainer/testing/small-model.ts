// A small model with random weights, and rows for it.
import { join } from 'node:path'
import { type RandomModel, writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { type AdapterLayout, adapterLayout } from '../model/adapter.ts'
import { type BaseModel, loadBaseModel, matrixNames } from '../model/base-model.ts'
import { randomNormal, randomUniform } from '../model/random.ts'
import { Pass } from '../step/pass.ts'
import type { PassOptions } from '../step/pass-parts.ts'
import type { Row } from '../step/row.ts'
import { fastestTile } from '../wasm/kernels.ts'

export interface SmallModel {
  file: string
  model: BaseModel
  adapter: AdapterLayout
}

export async function smallModel(options: RandomModel = {}): Promise<SmallModel> {
  const file = join(await tempDir(), 'small.gguf')
  writeRandomModel(file, { layers: 2, width: 32, heads: 4, sharedHeads: 2, ...options })
  const model = await loadBaseModel(file)
  return { file, model, adapter: adapterLayout(model.shape, { rank: 4, alpha: 8, names: matrixNames, depth: 1 }) }
}

export const tile = fastestTile()

export function passOf({ model, adapter }: SmallModel, more: Partial<PassOptions> = {}): Pass {
  return new Pass({ model, adapter, tile, nativeFrom: Infinity, rowLength: 64, recomputes: false, ...more })
}

/** An adapter in the midst of its training: neither A nor B is zero. */
export function anyAdapter({ numbers }: AdapterLayout, seed = 1): Float32Array {
  const next = randomNormal(seed)
  return Float32Array.from({ length: numbers }, () => 0.1 * next())
}

/** Examples of these lengths, one after the other. Their first half is not to be learnt. */
export function anyRow(vocabulary: number, lengths: readonly number[], seed = 1): Row {
  const next = randomUniform(seed)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const weights = new Float32Array(total)
  let start = 0
  const segments = lengths.map((length) => {
    const segment = { start, end: start + length }
    for (let at = start + Math.floor(length / 2); at < segment.end; at++) weights[at] = at % 3 === 0 ? 0.5 : 1
    start += length
    return segment
  })
  return { tokens: Int32Array.from({ length: total }, () => Math.floor(next() * vocabulary)), weights, segments }
}

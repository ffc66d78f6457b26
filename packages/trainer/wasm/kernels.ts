// The trainer's arithmetic, put together for this machine.
import { maxPages, moduleOf } from './assembler.ts'
import { normBackFunction, normFunction } from './norm.ts'
import { productFunctions, workBytes } from './product.ts'
import { rotateHalvesFunction, rotateNeighboursFunction } from './rotate.ts'
import { gatedBackFunction, gatedFunction, softmaxBackFunction, softmaxFunction } from './rows.ts'
import type { Tile } from './tile.ts'
import { unpackBytesFunction, unpackHalvesFunction, unpackShortenedFunction } from './unpack.ts'

/** What is used of it; Node's own types leave it to the browser's. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (size: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer }
    Module: new (code: Uint8Array) => object
    Instance: new (module: object, imports: object) => { exports: unknown }
  }
}

/** Pointers and lengths are those of `memory`: bytes and numbers of four bytes. */
export interface Kernels {
  memory: SharedArrayBuffer
  product(
    ...sizes: [
      rows: number, columns: number, inner: number,
      a: number, rowStepA: number, columnStepA: number,
      b: number, rowStepB: number, columnStepB: number,
      c: number, rowStepC: number, adds: 0 | 1, work: number,
    ]
  ): void // biome-ignore format: by matrix
  softmax(row: number, valid: number, width: number, scale: number): void
  softmaxBack(probabilities: number, changes: number, width: number, scale: number): void
  gated(gate: number, up: number, result: number, count: number): void
  gatedBack(gate: number, up: number, change: number, count: number): void
  norm(...parts: [input: number, weights: number, result: number, rows: number, width: number, epsilon: number]): void
  normBack(
    ...parts: [
      input: number, weights: number, change: number, total: number,
      rows: number, width: number, epsilon: number,
    ]
  ): void // biome-ignore format: by kind
  rotateNeighbours: Rotate
  rotateHalves: Rotate
  /** The count is of blocks, else of numbers. */
  unpackBytes(from: number, to: number, count: number): void
  unpackHalves(from: number, to: number, count: number): void
  unpackShortened(from: number, to: number, count: number): void
}

type Rotate = (
  ...parts: [
    data: number, heads: number, headSize: number,
    cosines: number, sines: number, size: number, direction: 1 | -1,
  ]
) => void // biome-ignore format: by kind

const pageBytes = 65_536

export function compileKernels(tile: Tile, memoryBytes: number): Kernels {
  const initial = Math.ceil(memoryBytes / pageBytes)
  if (initial > maxPages) throw new RangeError(`${memoryBytes} bytes are more than a thread of the trainer can hold`)
  const memory = new WebAssembly.Memory({ initial, maximum: maxPages, shared: true })
  const functions = [
    ...productFunctions(tile),
    ...[softmaxFunction(), softmaxBackFunction(), gatedFunction(), gatedBackFunction()],
    ...[normFunction(), normBackFunction(), rotateNeighboursFunction(), rotateHalvesFunction()],
    ...[unpackBytesFunction(), unpackHalvesFunction(), unpackShortenedFunction()],
  ]
  const module = new WebAssembly.Module(moduleOf(functions))
  const { exports } = new WebAssembly.Instance(module, { host: { memory } })
  return { memory: memory.buffer, ...(exports as Omit<Kernels, 'memory'>) }
}

/** Two for machines with 32 vector registers, the others for those with 16. */
const tiles: Tile[] = [
  { rows: 4, vectors: 4, fused: true, spread: true },
  { rows: 6, vectors: 2, fused: true, spread: false },
  { rows: 4, vectors: 2, fused: true, spread: false },
  { rows: 4, vectors: 3, fused: true, spread: false },
  { rows: 4, vectors: 2, fused: false, spread: false },
]

const trial = { rows: 96, columns: 192, inner: 256, rounds: 12 }

/**
 * The one that multiplies fastest on this machine, of those that its runtime knows. A fused one wherever there is one:
 * all of those give the same numbers, so that it does not matter how busy the machine is now.
 */
export function fastestTile(): Tile {
  const known = tiles.flatMap((tile) => {
    const ms = timeOf(tile)
    return ms === undefined ? [] : [{ tile, ms }]
  })
  const fused = known.filter(({ tile }) => tile.fused)
  const [first, ...others] = fused.length > 0 ? fused : known
  if (first === undefined) throw new Error('This runtime knows no WebAssembly with vectors')
  return others.reduce((best, one) => (one.ms < best.ms ? one : best), first).tile
}

function timeOf(tile: Tile): number | undefined {
  const { rows, columns, inner, rounds } = trial
  const sizes = [rows * inner, inner * columns, rows * columns].map((numbers) => 4 * numbers)
  const work = sizes.reduce((sum, bytes) => sum + bytes, 0)
  let kernels: Kernels
  try {
    kernels = compileKernels(tile, work + workBytes(tile))
  } catch {
    return undefined
  }
  const [b = 0, c = 0] = [sizes[0], sizes[0]! + sizes[1]!]
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    kernels.product(rows, columns, inner, 0, inner, 1, b, columns, 1, c, columns, 0, work)
    least = Math.min(least, performance.now() - start)
  }
  return least
}

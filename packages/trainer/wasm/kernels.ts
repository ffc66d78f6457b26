// The trainer's arithmetic, put together for this machine.
import { maxPages, moduleOf } from './assembler.ts'
import { productFunctions, type Tile, workBytes } from './product.ts'
import { gatedBackFunction, gatedFunction, softmaxFunction } from './rows.ts'

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
  gated(gate: number, up: number, result: number, count: number): void
  gatedBack(gate: number, up: number, change: number, count: number): void
}

const pageBytes = 65_536

export function compileKernels(tile: Tile, memoryBytes: number): Kernels {
  const initial = Math.ceil(memoryBytes / pageBytes)
  if (initial > maxPages) throw new RangeError(`${memoryBytes} bytes are more than a thread of the trainer can hold`)
  const memory = new WebAssembly.Memory({ initial, maximum: maxPages, shared: true })
  const functions = [...productFunctions(tile), softmaxFunction(), gatedFunction(), gatedBackFunction()]
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

const trial = { rows: 96, columns: 192, inner: 256, rounds: 5 }

/** The one that multiplies fastest on this machine, of those that its runtime knows. */
export function fastestTile(): Tile {
  let best: { tile: Tile; ms: number } | undefined
  for (const tile of tiles) {
    const ms = timeOf(tile)
    if (ms !== undefined && (best === undefined || ms < best.ms)) best = { tile, ms }
  }
  if (best === undefined) throw new Error('This runtime knows no WebAssembly with vectors')
  return best.tile
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

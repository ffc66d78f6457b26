// How fast the trainer's threads learn, without a server around them.
import { ownChatModel } from '@atoll/models/chat-model'
import { adapterLayout, freshAdapter, usualForm } from '@atoll/trainer/model/adapter'
import { loadBaseModel } from '@atoll/trainer/model/base-model'
import { randomUniform } from '@atoll/trainer/model/random'
import { nativeFrom, withNativeProducts } from '@atoll/trainer/native/products'
import { Pass } from '@atoll/trainer/step/pass'
import type { Row } from '@atoll/trainer/step/row'
import { Threads } from '@atoll/trainer/train/threads'
import { compileKernels, fastestTile } from '@atoll/trainer/wasm/kernels'
import { workBytes } from '@atoll/trainer/wasm/product'
import type { Tile } from '@atoll/trainer/wasm/tile'
import { median } from '../measure.ts'
import { openblasRate } from './openblas.ts'

const rowLength = 512
const rounds = 3
const goals = { tokensPerSecond: 150, parameters: 55.6e6, memoryBytes: 1.2e9, product: 0.75 }
const product = { rows: 512, columns: 1_408, inner: 512 }

export async function showSpeed(): Promise<void> {
  const settings = await ownChatModel()
  if (settings.kind !== 'llama') throw new Error('The built-in chat model is no GGUF file')
  const model = await loadBaseModel(settings.file)
  const adapter = adapterLayout(model.shape, usualForm)
  const arithmetic = { tile: fastestTile(), nativeFrom: nativeFrom() }
  showProducts(arithmetic.tile, arithmetic.nativeFrom)
  const parameters = Object.values(model.tensors).reduce(
    (sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1),
    0,
  )
  const options = { model, adapter, ...arithmetic, rowLength, recomputes: false }
  const bytes = (threads: number): number => threads * Pass.bytes(options) + 16 * adapter.numbers
  const goal = goals.tokensPerSecond * (goals.parameters / parameters)
  console.log(`  ${(parameters / 1e6).toFixed(1)}M parameters, rows of ${rowLength} tokens, all of them in the loss`)
  for (const count of [1, 2]) {
    const shared = { parameters: freshAdapter(adapter, 1), pause: undefined }
    const threads = await Threads.start(count, options, shared)
    const gradients = new Float32Array(adapter.numbers)
    const shares = Array.from({ length: count }, (_, nth) => ({
      rows: [anyRow(model.shape.vocabulary, nth + 1)],
      reminders: [],
    }))
    const [walls, cores]: [number[], number[]] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
      await threads.learn(shares, { scale: 1 / rowLength, reminderScale: 0 }, gradients)
      const { user, system } = process.cpuUsage(cpu)
      // The first one compiles.
      if (round === 0) continue
      walls.push((count * rowLength * 1000) / (performance.now() - startedAt))
      cores.push((count * rowLength * 1e6) / (user + system))
    }
    await threads.close()
    const wanted = count === 2 ? ` (goal ${goal.toFixed(0)})` : ''
    console.log(
      `  ${count} thread${count === 1 ? '' : 's'}: ${median(walls).toFixed(0)} tokens/s${wanted}, ${median(cores).toFixed(0)} a second of a core`,
    )
  }
  const megabytes = Math.round(bytes(2) / 1e6)
  console.log(`  memory over the model's file, 2 threads: ${megabytes} MB (goal at most ${goals.memoryBytes / 1e6})`)
}

function anyRow(vocabulary: number, seed: number): Row {
  const next = randomUniform(seed)
  return {
    tokens: Int32Array.from({ length: rowLength }, () => Math.floor(next() * vocabulary)),
    weights: new Float32Array(rowLength).fill(1),
    segments: [{ start: 0, end: rowLength }],
  }
}

/** Both ways, and those that are used against OpenBLAS. */
function showProducts(tile: Tile, nativeFrom: number): void {
  const { rows, columns, inner } = product
  let used = 0
  for (const from of new Set([Infinity, nativeFrom])) {
    used = productRate(tile, from)
    const tiles = `tiles of ${tile.rows} × ${4 * tile.vectors}${tile.fused ? ', fused' : ''}`
    const name = from === Infinity ? `WebAssembly, ${tiles}` : 'native routines'
    console.log(`  products of ${rows} × ${inner} × ${columns}: ${used.toFixed(1)} GFLOP/s a core (${name})`)
  }
  const openblas = openblasRate(product)
  const compared =
    typeof openblas === 'string'
      ? openblas
      : `OpenBLAS ${openblas.toFixed(1)}: ${(used / openblas).toFixed(2)} of it (goal ${goals.product})`
  console.log(`  ${compared}`)
}

function productRate(tile: Tile, from: number): number {
  const { rows, columns, inner } = product
  const [a, b, c] = [0, 4 * rows * inner, 4 * (rows * inner + inner * columns)]
  const work = c + 4 * rows * columns
  const kernels = withNativeProducts(compileKernels(tile, work + workBytes(tile)), from)
  const rates: number[] = []
  for (let round = 0; round < 10; round++) {
    const cpu = process.cpuUsage()
    kernels.product(rows, columns, inner, a, inner, 1, b, 1, inner, c, columns, 0, work)
    const { user, system } = process.cpuUsage(cpu)
    rates.push((2 * rows * columns * inner) / (user + system) / 1e3)
  }
  return median(rates)
}

import { expect, it } from 'vitest'
import { randomNormal } from '../model/random.ts'
import { withNativeProducts } from '../native/products.ts'
import { compileKernels, type Kernels } from './kernels.ts'
import { workBytes } from './product.ts'
import type { Tile } from './tile.ts'

const tiles: Tile[] = [
  { rows: 4, vectors: 4, fused: true, spread: true },
  { rows: 6, vectors: 2, fused: true, spread: false },
  { rows: 4, vectors: 3, fused: false, spread: false },
]
const bytes = 1 << 22

const next = randomNormal(1)

function filled(tile: Tile): { kernels: Kernels; data: Float32Array } {
  const kernels = compileKernels(tile, bytes + workBytes(tile))
  const data = new Float32Array(kernels.memory, 0, bytes / 4)
  for (let index = 0; index < data.length; index++) data[index] = next()
  return { kernels, data }
}

const arithmetics = [
  ...tiles.map((tile) => ({ tile, from: Infinity, name: `tiles of ${tile.rows} × 4 · ${tile.vectors}` })),
  { tile: tiles[1]!, from: 0, name: 'native routines' },
]

it.each(arithmetics)('multiply matrices of any size, turned or not, with $name', ({ tile, from }) => {
  const { kernels: compiled, data } = filled(tile)
  const kernels = withNativeProducts(compiled, from)
  expect(kernels.product === compiled.product).toBe(from === Infinity)
  const [a, b, c] = [0, 300_000, 700_000]
  for (const [rows, columns, inner] of [
    [1, 1, 1],
    [3, 5, 2],
    [4, 16, 256],
    [7, 33, 300],
    [65, 1, 64],
    [13, 1100, 259],
  ] as const) {
    for (const [turnsA, turnsB, adds] of [
      [0, 0, 0],
      [1, 0, 1],
      [0, 1, 0],
      [1, 1, 1],
    ] as const) {
      const [rowA, stepA] = turnsA ? [1, rows] : [inner, 1]
      const [rowB, stepB] = turnsB ? [1, inner] : [columns, 1]
      const rowC = columns + 3
      const before = data.slice(c, c + rows * rowC)
      kernels.product(rows, columns, inner, 4 * a, rowA, stepA, 4 * b, rowB, stepB, 4 * c, rowC, adds, bytes)
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < rowC; column++) {
          let wanted = before[row * rowC + column]!
          if (column < columns) {
            if (!adds) wanted = 0
            for (let at = 0; at < inner; at++) {
              wanted += data[a + row * rowA + at * stepA]! * data[b + at * rowB + column * stepB]!
            }
          }
          const got = data[c + row * rowC + column]!
          if (Math.abs(got - wanted) > 1e-3)
            expect.fail(`${rows}×${columns}×${inner} at ${row}, ${column}: ${got}, not ${wanted}`)
        }
      }
    }
  }
})

it('make probabilities of scores, and nothing of what is not valid', () => {
  const { kernels, data } = filled(tiles[1]!)
  const scores = data.slice(0, 12)
  kernels.softmax(0, 9, 12, 0.5)
  const powers = [...scores.subarray(0, 9)].map((score) => Math.exp(0.5 * score))
  const sum = powers.reduce((total, power) => total + power, 0)
  for (const [index, power] of powers.entries()) expect(data[index]).toBeCloseTo(power / sum, 6)
  expect([...data.subarray(9, 12)]).toEqual([0, 0, 0])
})

it('make the gated unit and its slopes', () => {
  const { kernels, data } = filled(tiles[1]!)
  const unit = (gate: number, up: number): number => (gate / (1 + Math.exp(-gate))) * up
  const [gates, ups, changes] = [data.slice(0, 8), data.slice(8, 16), data.slice(24, 32)]
  kernels.gated(0, 32, 64, 8)
  for (const [index, gate] of gates.entries()) expect(data[16 + index]).toBeCloseTo(unit(gate, ups[index]!), 5)
  kernels.gatedBack(0, 32, 96, 8)
  const step = 1e-5
  for (const [index, gate] of gates.entries()) {
    const [up, change] = [ups[index]!, changes[index]!]
    const slope = (unit(gate + step, up) - unit(gate - step, up)) / (2 * step)
    expect(data[index]).toBeCloseTo(change * slope, 4)
    expect(data[8 + index]).toBeCloseTo((change * unit(gate, up)) / up, 4)
  }
})

// Products of matrices: C = A · B, or C += A · B. A small piece of C is held in registers while rows of A and columns
// of B, packed so that they are read one after the other, stream past.
import {
  add,
  and,
  type Code,
  call,
  choose,
  f32,
  get,
  inBytes,
  increase,
  isLess,
  isZero,
  Locals,
  loopWhile,
  multiply,
  number,
  repeatWhile,
  set,
  smaller,
  subtract,
  types,
  v128,
  type WasmFunction,
  when,
} from './assembler.ts'
import { packColumns, packRows } from './packing.ts'
import type { Tile } from './tile.ts'

/** How much of B is packed at a time. */
const depth = 256
const width = 1024

const { i32, v128: vector } = types
const none = number(0)
const one = number(1)

/** What the packed parts take: of A, an edge of C, and of B. */
export const workBytes = ({ rows, vectors }: Tile): number =>
  16 * rows * depth + 16 * rows * vectors + 4 * depth * width

/** Exports `product(M, N, K, A, rowStepA, columnStepA, B, rowStepB, columnStepB, C, rowStepC, adds, work)`. */
export function productFunctions(tile: Tile): WasmFunction[] {
  return [tileFunction(tile), packRows(tile), packColumns(tile), product(tile)]
}

function tileFunction({ rows, vectors, fused, spread }: Tile): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, i32])
  const [count, a, b, c, rowBytes, adds] = [0, 1, 2, 3, 4, 5]
  const targets = locals.many(rows, i32)
  const sums = targets.map(() => locals.many(vectors, vector))
  const columns = locals.many(vectors, vector)
  const value = locals.add(vector)
  const end = locals.add(i32)
  const each = (code: (sum: number, row: number, nth: number) => Code): Code =>
    sums.flatMap((row, index) => row.flatMap((sum, nth) => code(sum, index, nth)))
  const grown = (sum: number, nth: number): Code => {
    const column = get(columns[nth]!)
    return fused
      ? v128.multiplyAdd(get(value), column, get(sum))
      : v128.add(v128.multiply(get(value), column), get(sum))
  }
  const valueAt = (row: number): Code => (spread ? v128.load(get(a), 16 * row) : v128.loadSplat(get(a), 4 * row))
  const code = [
    ...targets.flatMap((target, row) => set(target, row === 0 ? get(c) : add(get(targets[row - 1]!), get(rowBytes)))),
    ...when(
      get(adds),
      each((sum, row, nth) => set(sum, v128.load(get(targets[row]!), 16 * nth))),
      each((sum) => set(sum, v128.all(0))),
    ),
    ...set(end, add(get(b), multiply(get(count), number(16 * vectors)))),
    ...repeatWhile(isLess(get(b), get(end)), [
      ...columns.flatMap((column, nth) => set(column, v128.load(get(b), 16 * nth))),
      ...sums.flatMap((row, index) => [
        ...set(value, valueAt(index)),
        ...row.flatMap((sum, nth) => set(sum, grown(sum, nth))),
      ]),
      ...increase(a, number((spread ? 16 : 4) * rows)),
      ...increase(b, number(16 * vectors)),
    ]),
    ...each((sum, row, nth) => v128.store(get(targets[row]!), get(sum), 16 * nth)),
  ]
  return { locals, code }
}

interface EdgeTile extends Record<'strip' | 'addsHere' | 'deepHere' | 'present' | 'target' | 'across', number> {
  work: number
  edge: number
  rowC: number
}

/** A piece of C that has fewer rows or columns than a tile: computed elsewhere, and copied to its place. */
function edgeTile(locals: Locals, tile: EdgeTile, stripColumns: number): Code {
  const { strip, addsHere, deepHere, present, target, across, work, edge, rowC } = tile
  const { line, cell } = locals.named(i32, 'line', 'cell')
  const edgeCell = add(get(edge), inBytes(add(multiply(get(line), number(stripColumns)), get(cell))))
  const cCell = add(get(target), multiply(get(line), get(rowC)), inBytes(get(cell)))
  const eachCell = (code: Code): Code => [
    ...set(line, none),
    ...loopWhile(isLess(get(line), get(present)), [
      ...set(cell, none),
      ...loopWhile(isLess(get(cell), get(across)), [...code, ...increase(cell, one)]),
      ...increase(line, one),
    ]),
  ]
  return [
    ...eachCell(f32.store(edgeCell, f32.load(cCell))),
    ...call(0, get(deepHere), get(work), get(strip), get(edge), number(4 * stripColumns), get(addsHere)),
    ...eachCell(f32.store(cCell, f32.load(edgeCell))),
  ]
}

/** In this order. */
const sizes = [
  'height',
  'columns',
  'inner',
  'a',
  'rowA',
  'stepA',
  'b',
  'rowB',
  'stepB',
  'c',
  'rowC',
  'adds',
  'work',
] as const
type Sizes = Record<(typeof sizes)[number], number>

function product(tile: Tile): WasmFunction {
  const { rows, vectors } = tile
  const stripColumns = 4 * vectors
  const locals = new Locals(sizes.map(() => i32))
  const given = Object.fromEntries(sizes.map((name, index) => [name, index])) as Sizes
  const { height, columns, inner, a, rowA, stepA, b, rowB, stepB, c, rowC, adds, work } = given
  const own = locals.named(i32, 'left', 'top', 'row', 'deep', 'here', 'at', 'edge', 'packed', 'wide')
  const { left, top, row, deep, here, at, edge, packed, wide } = own
  const piece = locals.named(i32, 'strip', 'addsHere', 'deepHere', 'present', 'target', 'across')
  const { strip, addsHere, deepHere, present, target, across } = piece
  const overEdge = edgeTile(locals, { ...piece, work, edge, rowC }, stripColumns)
  const isWhole = and(
    isZero(isLess(get(present), number(rows))),
    isZero(isLess(subtract(get(wide), get(at)), number(stripColumns))),
  )
  const alongStrips = [
    ...set(at, none),
    ...set(strip, get(packed)),
    ...loopWhile(isLess(get(at), get(wide)), [
      ...set(target, add(get(c), multiply(get(row), get(rowC)), inBytes(add(get(left), get(at))))),
      ...set(across, smaller(subtract(get(wide), get(at)), number(stripColumns))),
      ...when(isWhole, call(0, get(deepHere), get(work), get(strip), get(target), get(rowC), get(addsHere)), overEdge),
      ...increase(strip, multiply(get(deepHere), number(4 * stripColumns))),
      ...increase(at, number(stripColumns)),
    ]),
  ]
  const alongRows = [
    ...set(row, none),
    ...loopWhile(isLess(get(row), get(height)), [
      ...set(present, smaller(subtract(get(height), get(row)), number(rows))),
      ...set(here, add(get(a), multiply(get(row), get(rowA)), multiply(get(top), get(stepA)))),
      ...call(1, get(here), get(rowA), get(stepA), get(present), get(deepHere), get(work)),
      ...alongStrips,
      ...increase(row, number(rows)),
    ]),
  ]
  const code = [
    ...[rowA, stepA, rowB, stepB, rowC].flatMap((step) => set(step, inBytes(get(step)))),
    ...set(edge, add(get(work), number(16 * rows * depth))),
    ...set(packed, add(get(edge), number(16 * rows * vectors))),
    ...set(left, none),
    ...loopWhile(isLess(get(left), get(columns)), [
      ...set(wide, smaller(subtract(get(columns), get(left)), number(width))),
      ...set(top, none),
      ...loopWhile(isLess(get(top), get(inner)), [
        ...set(deepHere, smaller(subtract(get(inner), get(top)), number(depth))),
        ...set(addsHere, choose(get(top), one, get(adds))),
        ...set(deep, add(get(b), multiply(get(top), get(rowB)), multiply(get(left), get(stepB)))),
        ...call(2, get(deep), get(rowB), get(stepB), get(deepHere), get(wide), get(packed)),
        ...alongRows,
        ...increase(top, number(depth)),
      ]),
      ...increase(left, number(width)),
    ]),
  ]
  return { locals, code, name: 'product' }
}

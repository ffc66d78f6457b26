// Pieces of A and B written one after the other, in the order in which a tile reads them.
import {
  add,
  and,
  type Code,
  f32,
  get,
  inBytes,
  increase,
  isEqual,
  isLess,
  Locals,
  loopWhile,
  multiply,
  number,
  set,
  types,
  v128,
  type WasmFunction,
  when,
} from './assembler.ts'
import type { Tile } from './tile.ts'

const { i32, v128: vector } = types
const none = number(0)
const one = number(1)
const four = number(4)
const lanes = [0, 1, 2, 3]

/** What both packers go along with. */
interface Walk {
  from: number
  rowBytes: number
  stepBytes: number
  count: number
  to: number
  at: number
  target: number
  left: number
}

/** A tile's rows of A side by side; rows that are not there are zeros. */
export function packRows(tile: Tile): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, i32])
  const [from, rowBytes, stepBytes, present, count, to] = [0, 1, 2, 3, 4, 5]
  const walk: Walk = { from, rowBytes, stepBytes, count, to, ...locals.named(i32, 'at', 'target', 'left') }
  const isTurned = and(isEqual(get(rowBytes), four), isEqual(get(present), number(tile.rows)))
  const code = when(isTurned, columnByColumn(locals, walk, tile), rowByRow(locals, walk, tile, present))
  return { locals, code }
}

function rowByRow(locals: Locals, walk: Walk, { rows, spread }: Tile, present: number): Code {
  const { from, rowBytes, stepBytes, count, to, at, target, left } = walk
  const row = locals.add(i32)
  const bytes = spread ? 16 : 4
  const copy = (place: number): Code =>
    spread
      ? v128.store(get(target), v128.loadSplat(get(at), 4 * place), bytes * rows * place)
      : f32.store(get(target), f32.load(get(at), 4 * place), bytes * rows * place)
  const clear = spread ? v128.store(get(target), v128.all(0)) : f32.store(get(target), f32.constant(0))
  const oneByOne = (write: Code): Code =>
    loopWhile(get(left), [
      ...write,
      ...increase(at, get(stepBytes)),
      ...increase(target, number(bytes * rows)),
      ...increase(left, number(-1)),
    ])
  /** Numbers of a row lie side by side. */
  const fourByFour = loopWhile(isLess(number(3), get(left)), [
    ...lanes.flatMap(copy),
    ...increase(at, number(16)),
    ...increase(target, number(4 * bytes * rows)),
    ...increase(left, number(-4)),
  ])
  const whole = [...when(isEqual(get(stepBytes), four), fourByFour), ...oneByOne(copy(0))]
  return [
    ...set(row, none),
    ...loopWhile(isLess(get(row), number(rows)), [
      ...set(at, add(get(from), multiply(get(row), get(rowBytes)))),
      ...set(target, add(get(to), multiply(get(row), number(bytes)))),
      ...set(left, get(count)),
      ...when(isLess(get(row), get(present)), whole, oneByOne(clear)),
      ...increase(row, one),
    ]),
  ]
}

/** Numbers of a column lie side by side, and all rows are there. */
function columnByColumn(locals: Locals, walk: Walk, { rows, spread }: Tile): Code {
  const { from, stepBytes, count, to, at, target, left } = walk
  const numbers = locals.add(vector)
  const bytes = spread ? 16 : 4
  const spreadOut = (nth: number): Code =>
    lanes.flatMap((lane) => {
      const value = v128.choose(get(numbers), get(numbers), [lane, lane, lane, lane])
      return v128.store(get(target), value, 16 * (4 * nth + lane))
    })
  const fours = Array.from({ length: Math.floor(rows / 4) }, (_, nth) => [
    ...set(numbers, v128.load(get(at), 16 * nth)),
    ...(spread ? spreadOut(nth) : v128.store(get(target), get(numbers), 16 * nth)),
  ]).flat()
  const rest = Array.from({ length: rows % 4 }, (_, nth) => rows - 1 - nth).flatMap((place) =>
    spread
      ? v128.store(get(target), v128.loadSplat(get(at), 4 * place), bytes * place)
      : f32.store(get(target), f32.load(get(at), 4 * place), bytes * place),
  )
  return [
    ...set(at, get(from)),
    ...set(target, get(to)),
    ...set(left, get(count)),
    ...loopWhile(get(left), [
      ...fours,
      ...rest,
      ...increase(at, get(stepBytes)),
      ...increase(target, number(bytes * rows)),
      ...increase(left, number(-1)),
    ]),
  ]
}

/** B in strips as wide as a tile; columns that are not there are zeros. */
export function packColumns({ vectors }: Tile): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, i32])
  const [from, rowBytes, stepBytes, count, columns, to] = [0, 1, 2, 3, 4, 5]
  const walk: Walk = { from, rowBytes, stepBytes, count, to, ...locals.named(i32, 'at', 'target', 'left') }
  const first = locals.add(i32)
  const stripColumns = 4 * vectors
  const someColumns = copyColumns(locals, walk, first, columns, stripColumns)
  const wholeStrip = when(
    isEqual(get(stepBytes), four),
    copyLines(walk, first, vectors),
    when(isEqual(get(rowBytes), four), turnColumns(locals, walk, first, vectors), someColumns),
  )
  const isWhole = isLess(add(get(first), number(stripColumns - 1)), get(columns))
  const code = [
    ...set(first, none),
    ...loopWhile(isLess(get(first), get(columns)), [
      ...when(isWhole, wholeStrip, someColumns),
      ...increase(to, multiply(get(count), number(4 * stripColumns))),
      ...increase(first, number(stripColumns)),
    ]),
  ]
  return { locals, code }
}

/** A line of the strip lies side by side. */
function copyLines({ from, rowBytes, count, to, at, target, left }: Walk, first: number, vectors: number): Code {
  return [
    ...set(at, add(get(from), inBytes(get(first)))),
    ...set(target, get(to)),
    ...set(left, get(count)),
    ...loopWhile(get(left), [
      ...Array.from({ length: vectors }, (_, nth) =>
        v128.store(get(target), v128.load(get(at), 16 * nth), 16 * nth),
      ).flat(),
      ...increase(at, get(rowBytes)),
      ...increase(target, number(16 * vectors)),
      ...increase(left, number(-1)),
    ]),
  ]
}

/** Number by number, however they lie. */
function copyColumns(locals: Locals, walk: Walk, first: number, columns: number, stripColumns: number): Code {
  const { from, rowBytes, stepBytes, count, to, at, target, left } = walk
  const column = locals.add(i32)
  const present = isLess(add(get(first), get(column)), get(columns))
  return [
    ...set(column, none),
    ...loopWhile(isLess(get(column), number(stripColumns)), [
      ...set(at, add(get(from), multiply(add(get(first), get(column)), get(stepBytes)))),
      ...set(target, add(get(to), inBytes(get(column)))),
      ...set(left, get(count)),
      ...loopWhile(get(left), [
        ...when(present, f32.store(get(target), f32.load(get(at))), f32.store(get(target), f32.constant(0))),
        ...increase(at, get(rowBytes)),
        ...increase(target, number(4 * stripColumns)),
        ...increase(left, number(-1)),
      ]),
      ...increase(column, one),
    ]),
  ]
}

/** Columns lie side by side: four by four they are turned in registers. */
function turnColumns(locals: Locals, walk: Walk, first: number, vectors: number): Code {
  const { from, stepBytes, count, to, target, left } = walk
  const corners = locals.many(4, i32)
  const lines = locals.many(4, vector)
  const halves = locals.many(4, vector)
  const lineBytes = 16 * vectors
  const half = (nth: number): Code => get(halves[nth] ?? 0)
  const line = (nth: number): Code => get(lines[nth] ?? 0)
  /** Of two lines the first and the last two numbers, in turns; then those of two such pairs. */
  const turned: Code[] = [
    ...[0, 1].map((nth) => v128.choose(half(0), half(1), nth === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7])),
    ...[0, 1].map((nth) => v128.choose(half(2), half(3), nth === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7])),
  ]
  const turn = [
    ...lines.flatMap((local, nth) => set(local, v128.load(get(corners[nth] ?? 0)))),
    ...set(halves[0] ?? 0, v128.choose(line(0), line(1), [0, 4, 1, 5])),
    ...set(halves[1] ?? 0, v128.choose(line(2), line(3), [0, 4, 1, 5])),
    ...set(halves[2] ?? 0, v128.choose(line(0), line(1), [2, 6, 3, 7])),
    ...set(halves[3] ?? 0, v128.choose(line(2), line(3), [2, 6, 3, 7])),
    ...turned.flatMap((value, nth) => v128.store(get(target), value, lineBytes * nth)),
  ]
  const step = (numbers: number): Code => [
    ...corners.flatMap((corner) => increase(corner, number(4 * numbers))),
    ...increase(target, number(lineBytes * numbers)),
    ...increase(left, number(-numbers)),
  ]
  const single = corners.flatMap((corner, nth) => f32.store(get(target), f32.load(get(corner)), 4 * nth))
  return Array.from({ length: vectors }, (_, group) => [
    ...corners.flatMap((corner, nth) =>
      set(corner, add(get(from), multiply(add(get(first), number(4 * group + nth)), get(stepBytes)))),
    ),
    ...set(target, add(get(to), number(16 * group))),
    ...set(left, get(count)),
    ...loopWhile(isLess(number(3), get(left)), [...turn, ...step(4)]),
    ...loopWhile(get(left), [...single, ...step(1)]),
  ]).flat()
}

// Rows brought to the same size, and the way back. Widths are multiples of 4.
import {
  add,
  type Code,
  f32,
  get,
  inBytes,
  increase,
  isLess,
  Locals,
  loopWhile,
  number,
  set,
  types,
  v128,
  type WasmFunction,
} from './assembler.ts'

const { i32, f32: single, v128: vector } = types

const sumOf = (value: number): Code => f32.add(...[0, 1, 2, 3].map((lane) => v128.lane(get(value), lane)))

/** What both directions do with a row: `row` points to its input, `end` behind it, `at` goes along. */
class RowLoop {
  readonly at: number
  readonly end: number
  readonly size: number
  readonly #width: number
  readonly #sum: number
  readonly #row: number
  readonly #epsilon: number

  constructor(locals: Locals, { row, width, epsilon }: { row: number; width: number; epsilon: number }) {
    this.at = locals.add(i32)
    this.end = locals.add(i32)
    this.size = locals.add(single)
    this.#sum = locals.add(vector)
    this.#row = row
    this.#width = width
    this.#epsilon = epsilon
  }

  /** `more` are pointers that go along. */
  each(code: Code, ...more: number[]): Code {
    return [
      ...set(this.at, get(this.#row)),
      ...loopWhile(isLess(get(this.at), get(this.end)), [
        ...code,
        ...[this.at, ...more].flatMap((pointer) => increase(pointer, number(16))),
      ]),
    ]
  }

  /** `size` becomes what the row is multiplied by. */
  measure(): Code {
    const here = v128.load(get(this.at))
    return [
      ...set(this.end, add(get(this.#row), inBytes(get(this.#width)))),
      ...set(this.#sum, v128.all(0)),
      ...this.each(set(this.#sum, v128.add(get(this.#sum), v128.multiply(here, here)))),
      ...set(
        this.size,
        f32.divide(
          f32.constant(1),
          f32.root(f32.add(f32.divide(sumOf(this.#sum), f32.fromWhole(get(this.#width))), get(this.#epsilon))),
        ),
      ),
    ]
  }
}

/** Exports `norm(input, weights, result, rows, width, epsilon)`. */
export function normFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, single])
  const [input, weights, result, rows, width, epsilon] = [0, 1, 2, 3, 4, 5]
  const loop = new RowLoop(locals, { row: input, width, epsilon })
  const [factor, weight] = [locals.add(vector), locals.add(i32)]
  const scaled = v128.multiply(v128.multiply(v128.load(get(loop.at)), get(factor)), v128.load(get(weight)))
  const code = loopWhile(get(rows), [
    ...loop.measure(),
    ...set(factor, v128.splat(get(loop.size))),
    ...set(weight, get(weights)),
    ...loop.each(v128.store(get(result), scaled), weight, result),
    ...set(input, get(loop.end)),
    ...increase(rows, number(-1)),
  ])
  return { locals, code, name: 'norm' }
}

/** Exports `normBack(input, weights, change, total, rows, width, epsilon)`: adds to `total`. */
export function normBackFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, i32, single])
  const [input, weights, change, total, rows, width, epsilon] = [0, 1, 2, 3, 4, 5, 6]
  const loop = new RowLoop(locals, { row: input, width, epsilon })
  const { weight, given } = locals.named(i32, 'weight', 'given')
  const { factor, shared } = locals.named(vector, 'factor', 'shared')
  const weighted = v128.multiply(v128.load(get(given)), v128.load(get(weight)))
  const here = v128.load(get(loop.at))
  const cube = f32.multiply(get(loop.size), get(loop.size), get(loop.size))
  const code = loopWhile(get(rows), [
    ...loop.measure(),
    ...set(factor, v128.splat(get(loop.size))),
    ...set(shared, v128.all(0)),
    ...set(weight, get(weights)),
    ...set(given, get(change)),
    ...loop.each(set(shared, v128.add(get(shared), v128.multiply(weighted, here))), weight, given),
    ...set(shared, v128.splat(f32.divide(f32.multiply(sumOf(shared), cube), f32.fromWhole(get(width))))),
    ...set(weight, get(weights)),
    ...set(given, get(change)),
    ...loop.each(
      v128.store(
        get(total),
        v128.add(
          v128.load(get(total)),
          v128.subtract(v128.multiply(weighted, get(factor)), v128.multiply(here, get(shared))),
        ),
      ),
      ...[weight, given, total],
    ),
    ...set(input, get(loop.end)),
    ...set(change, get(given)),
    ...increase(rows, number(-1)),
  ])
  return { locals, code, name: 'normBack' }
}
